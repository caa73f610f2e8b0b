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

// combine works several changes out, each on what those before it leave, and makes one of
// them: what they do together.
func (r *resolver) combine() {
	var titles []string
	rev := r.rev
	for _, m := range r.p.Mutation.Parts {
		one := resolver{r.g, rev, &Preview{Mutation: m}}
		one.work()
		one.p.blockInvalid()
		if one.p.Title == "" {
			one.p.Title = change.TitleOf(one.p.Objects)
		}
		titles = append(titles, one.p.Title)
		if one.p.Blocked != "" {
			r.block("%s: %s", one.p.Title, one.p.Blocked)
		}
		r.p.Errors, r.p.Notes = append(r.p.Errors, one.p.Errors...), append(r.p.Notes, one.p.Notes...)
		for i := range one.p.Objects {
			r.merge(one.p.Objects[i])
		}
		rev = effect.After(rev, one.p.Objects)
	}
	r.p.Title = strings.Join(titles, ", then ")
	if len(titles) > 3 {
		r.p.Title = fmt.Sprintf("%s changes: %s", words.Thousands(len(titles)), words.Some(titles, 3))
	}
}

// merge adds a change of an object to those that were found before it.
func (r *resolver) merge(c change.ObjectChange) {
	i := slices.IndexFunc(r.p.Objects, func(o change.ObjectChange) bool { return o.Key == c.Key })
	if i < 0 {
		r.p.Objects = append(r.p.Objects, c)
		return
	}
	o := &r.p.Objects[i]
	o.New, o.ByHand = c.New, false
	if o.New == nil && o.Old == nil || o.New != nil && o.Old != nil && model.SameContent(o.Old, o.New) {
		r.p.Notes = append(r.p.Notes, c.Key.Label()+" is as it was in the end")
		r.p.Objects = slices.Delete(r.p.Objects, i, i+1)
	}
}

// aside notes what of a folder is left aside.
func (r *resolver) aside(kinds map[model.Kind]int) {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		all = append(all, words.Total(kinds[k], string(k)))
	}
	if len(all) > 0 {
		r.p.Notes = append(r.p.Notes, "left aside, since only policies are applied: "+words.Some(all, 5))
	}
}

// prune deletes the policies that a text does not have.
func (r *resolver) prune(keep map[model.Key]bool) {
	for p := range r.rev.Cluster.AllPolicies() {
		if !keep[p.Key] {
			r.change(p, nil)
		}
	}
}
