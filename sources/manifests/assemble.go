package manifests

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
)

// groupedNote is a note reported once for all objects of a group.
type groupedNote struct {
	group  string
	broken model.Broken // the first object's
	count  int
}

// joinGroupedNotes joins the notes of each group into one.
func joinGroupedNotes(notes []groupedNote) (out []groupedNote) {
	index := map[string]int{}
	for _, a := range notes {
		if i, known := index[a.group]; known {
			out[i].count += a.count
			continue
		}
		index[a.group] = len(out)
		out = append(out, a)
	}
	return out
}

// entry returns the group's single entry; place is where its objects were counted.
func (a *groupedNote) entry(place string) model.Broken {
	b := a.broken
	if a.count > 1 {
		b.Message += fmt.Sprintf(" (and %d more like this%s)", a.count-1, place)
	}
	return b
}

// isUnread reports whether Rung has no use for the objects, such as ConfigMaps. Others may matter: a policy of
// an unsupported kind, a field that Rung does not know.
func (a *groupedNote) isUnread() bool {
	return a.broken.Code == CodeUnknownKind && a.broken.Severity == model.SeverityInfo
}

// assembleResult combines the objects of all files: the first of each key, and the missing namespaces of pods.
func assembleResult(o Options, files []*fileResult, broken []model.Broken) *Result {
	r := &Result{Broken: broken}
	n := 0
	for _, f := range files {
		n += len(f.objects)
	}
	seen := make(map[model.Key]model.Origin, n)
	// A must-gather has objects twice, read seconds apart. The first stays, and one entry reports all repeats.
	var twice model.Broken
	again := 0
	r.Objects = make([]model.Object, 0, n)
	for _, f := range files {
		if f.file.Sum != [32]byte{} {
			r.Files = append(r.Files, f.file)
		}
		r.Broken = append(r.Broken, f.broken...)
		for _, obj := range f.objects {
			k := obj.ObjectKey()
			if f.input.gather && k.Kind.IsWorkload() {
				continue // a dump of a cluster has the real pods
			}
			at := objectOrigin(obj)
			if first, dup := seen[k]; dup && f.input.gather {
				again++
				if again == 1 {
					twice = duplicateError(k, at, first)
					twice.Severity = model.SeverityInfo
				}
				continue
			} else if dup {
				r.Broken = append(r.Broken, duplicateError(k, at, first))
				continue
			}
			seen[k] = at
			r.Objects = append(r.Objects, obj)
		}
	}
	if again > 1 {
		twice.Message += fmt.Sprintf(" (and %d more objects of the must-gather)", again-1)
	}
	if again > 0 {
		r.Broken = append(r.Broken, twice)
	}
	r.Broken = append(r.Broken, allUnread(files)...)
	r.makePods(o, seen)
	r.implyNamespaces(o, seen)
	return r
}

func duplicateError(k model.Key, at, first model.Origin) model.Broken {
	sev := model.SeverityWarning
	if k.Kind.IsPolicy() {
		sev = model.SeverityError
	}
	counts := "the first one"
	if first.File != "" {
		counts = "the one in " + first.Place()
	}
	return model.Broken{Severity: sev, Origin: at, Key: k, Code: CodeDuplicated, Message: "is given twice: skipped, " + counts + " counts"}
}

// implyNamespaces adds the namespaces of pods that the input lacks, as a dump of pods alone does. Only the
// label with their name is known of them. One entry reports them all.
func (r *Result) implyNamespaces(o Options, have map[model.Key]model.Origin) {
	var names []string
	for _, obj := range r.Objects {
		p, ok := obj.(*model.Pod)
		if !ok {
			continue
		}
		k := model.Key{Kind: model.KindNamespace, Name: p.Namespace}
		if _, ok := have[k]; ok {
			continue
		}
		have[k] = model.Origin{}
		names = append(names, p.Namespace)
		r.Objects = append(r.Objects, &model.Namespace{Meta: withNameLabel(model.Meta{Key: k,
			Labels: model.NewLabels(nil), Origin: model.Origin{Source: o.Source, Item: -1}})})
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	list := words.JoinAtMost(names, ", ", 5)
	r.Broken = append(r.Broken, model.Broken{Severity: model.SeverityWarning,
		Origin: model.Origin{Source: o.Source, Item: -1},
		Key:    model.Key{Kind: model.KindNamespace, Name: names[0]}, Code: CodeNamespace,
		Message: words.CleanText("pods are in namespaces without an object (" + list + "): their labels are unknown"),
		Remedy:  "add the Namespace objects; without them, selectors of namespace labels miss these pods"})
}

// objectOrigin returns where an object was read.
func objectOrigin(o model.Object) model.Origin {
	if m, ok := o.(interface{ ObjectOrigin() model.Origin }); ok {
		return m.ObjectOrigin()
	}
	return model.Origin{}
}

// allUnread returns one entry for all objects of kinds that Rung does not use: a cluster dump has dozens of
// them.
func allUnread(files []*fileResult) []model.Broken {
	var notes []groupedNote
	for _, f := range files {
		notes = append(notes, f.unread...)
	}
	notes = joinGroupedNotes(notes)
	switch len(notes) {
	case 0:
		return nil
	case 1:
		return []model.Broken{notes[0].entry("")}
	}
	total := 0
	var kinds []string
	for _, a := range notes {
		total += a.count
		kinds = append(kinds, fmt.Sprintf("%s %d", a.broken.Key.Kind, a.count))
	}
	slices.Sort(kinds)
	b := notes[0].broken
	b.Key = model.Key{}
	b.Message = fmt.Sprintf("skipped: %d objects of unsupported kinds: %s", total, strings.Join(kinds, ", "))
	return []model.Broken{b}
}
