package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/change"
	"rung/change/effect"
	"rung/model"
	"rung/model/words"
)

// combineChanges works out several changes, each on the result of those before it, and combines them into one.
func (r *mutationResolver) combineChanges() {
	var titles []string
	rev := r.rev
	for _, m := range r.preview.Mutation.Parts {
		one := mutationResolver{r.gate, rev, r.live, &Preview{Mutation: m}}
		one.findChanges()
		one.preview.blockInvalid()
		if one.preview.Title == "" {
			one.preview.Title = change.ObjectsTitle(one.preview.Objects)
		}
		titles = append(titles, one.preview.Title)
		if one.preview.Blocked != "" {
			r.block("%s: %s", one.preview.Title, one.preview.Blocked)
		}
		r.preview.Errors, r.preview.Notes = append(r.preview.Errors, one.preview.Errors...), append(r.preview.Notes, one.preview.Notes...)
		for i := range one.preview.Objects {
			r.mergeChange(one.preview.Objects[i])
		}
		rev = effect.RevisionAfter(rev, one.preview.Objects)
	}
	r.preview.Title = strings.Join(titles, ", then ")
	if len(titles) > 3 {
		r.preview.Title = fmt.Sprintf("%s changes: %s", words.Thousands(len(titles)), words.ListSome(titles, 3))
	}
}

// mergeChange merges the change of an object into the changes found before.
func (r *mutationResolver) mergeChange(c change.ObjectChange) {
	i := slices.IndexFunc(r.preview.Objects, func(o change.ObjectChange) bool { return o.Key == c.Key })
	if i < 0 {
		r.preview.Objects = append(r.preview.Objects, c)
		return
	}
	o := &r.preview.Objects[i]
	o.New, o.ByHand = c.New, false
	if o.New == nil && o.Old == nil || o.New != nil && o.Old != nil && model.SameContent(o.Old, o.New) {
		r.preview.Notes = append(r.preview.Notes, c.Key.Label()+" ends up unchanged")
		r.preview.Objects = slices.Delete(r.preview.Objects, i, i+1)
	}
}

// noteSkippedKinds notes how many objects of a folder were skipped, by kind.
func (r *mutationResolver) noteSkippedKinds(kinds map[model.Kind]int) {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		all = append(all, words.Count(kinds[k], string(k)))
	}
	if len(all) > 0 {
		r.preview.Notes = append(r.preview.Notes, "skipped, only policies are applied: "+words.ListSome(all, 5))
	}
}
