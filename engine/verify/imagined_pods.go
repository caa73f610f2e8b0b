package verify

import (
	"fmt"
	"slices"

	"rung/model"
	"rung/revision"
)

// imaginePods adds pods for an end whose labels match none: in the namespaces that it selects, or in a new
// one. It adds three, two on one node and one on another, so that connections within and between nodes are
// asked.
func (f *endFinder) imaginePods(e *StatementEnd, out *foundEnds) {
	if e.Pod.isSet && !e.Pod.labelsOnly {
		f.addProblem(e.Pod.FilePlace, "--as-if needs labels with one value each")
		return
	}
	spaces := slices.Clone(e.Namespace.Names)
	for n := range f.c.Namespaces() {
		if !e.Namespace.byName() && e.Namespace.selects(n.Name, n.Labels) {
			spaces = append(spaces, n.Name)
		}
	}
	labels := map[string]string{}
	if len(spaces) == 0 {
		if e.Namespace.isSet && !e.Namespace.labelsOnly {
			f.addProblem(e.Namespace.FilePlace, "--as-if needs labels with one value each")
			return
		}
		labels = e.Namespace.Labels
		spaces = []string{f.imaginedSpace(labels)}
	}
	for _, s := range spaces {
		out.imagined = append(out.imagined, f.imaginedPods(s, labels, e.Pod.Labels)...)
	}
}

// imaginedSpace returns the name of an imagined namespace with these labels.
func (f *endFinder) imaginedSpace(labels map[string]string) string {
	key := model.NewLabels(labels).Key()
	if f.spaces == nil {
		f.spaces = map[string]string{}
	}
	name, ok := f.spaces[key]
	for n := len(f.spaces) + 1; !ok; n++ {
		name = fmt.Sprintf("as-if-%d", n)
		if f.c.Namespace(name) == nil {
			f.spaces[key], ok = name, true
		}
	}
	return name
}

// imaginedPods returns pods with these labels in a namespace, each made once.
func (f *endFinder) imaginedPods(space string, of, labels map[string]string) (out []model.Key) {
	want := model.NewLabels(labels).Key()
	n := 0
	for _, t := range f.imagined {
		if t.Namespace == space {
			n++
			if model.NewLabels(t.Labels).Key() == want {
				out = append(out, model.Key{Kind: model.KindPod, Namespace: space, Name: t.Name})
			}
		}
	}
	for len(out) < 3 {
		n++
		name := fmt.Sprintf("as-if-%d", n)
		if f.c.Pod(space, name) != nil {
			continue
		}
		f.imagined = append(f.imagined, revision.ImaginedPod{Namespace: space, Name: name, Space: of, Labels: labels, Second: len(out) == 2})
		out = append(out, model.Key{Kind: model.KindPod, Namespace: space, Name: name})
	}
	return out
}
