package verify

import (
	"fmt"
	"net/netip"
	"slices"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// foundEnds holds the ends of one side of a statement.
type foundEnds struct {
	// pods have an address on the default network, so classes cover them. otherEnds are asked one by one.
	pods      []*model.Pod
	otherEnds []verdict.Endpoint
	// unselected counts, by reason, the pods with matching labels that policies do not select.
	unselected map[string]int
	// skipped holds these pods by key, because a statement may still name one. seenPods holds all others.
	skipped  map[model.Key]bool
	seenPods map[model.Key]bool
	// Keys of pods that do not exist.
	imagined []model.Key
}

// endFinder finds the ends of statements in a cluster.
type endFinder struct {
	c        *model.Cluster
	rev      *revision.Revision // of c, nil if unread kinds do not matter
	names    *trace.EndNames    // of c, made for the first bare name
	problems []*Problem
	// imagine treats missing pods as existing; imagined holds these pods.
	imagine  bool
	imagined []revision.ImaginedPod
	spaces   map[string]string // imagined namespaces by labels
}

func (f *endFinder) addProblem(at FilePlace, format string, args ...any) {
	f.problems = append(f.problems, &Problem{at, words.CleanText(fmt.Sprintf(format, args...))})
}

// isOrdinary reports whether policies select the pod by its labels, and why not.
func isOrdinary(p *model.Pod) (why string, ok bool) {
	switch {
	case p.IsCompleted():
		return "completed", false
	case p.HostNetwork:
		return "host-networked", false
	case p.NodeName == "":
		return "not scheduled", false
	case p.PrimaryUDN() != "":
		return "on a user-defined network", false
	case len(p.IPs) == 0:
		return "without an address", false
	}
	return "", true
}

// findSide finds the ends of one side.
func (f *endFinder) findSide(ends []StatementEnd, source bool) *foundEnds {
	out := &foundEnds{unselected: map[string]int{}, skipped: map[model.Key]bool{}, seenPods: map[model.Key]bool{}}
	for i := range ends {
		f.findEnd(&ends[i], source, out)
	}
	return out
}

// addEnd adds an end that is asked about by itself.
func (o *foundEnds) addEnd(e verdict.Endpoint) {
	isAddress := e.Key == (model.Key{})
	if isAddress && !slices.Contains(o.otherEnds, e) || !isAddress && !o.seenPods[e.Key] {
		o.seenPods[e.Key] = true
		o.otherEnds = append(o.otherEnds, e)
	}
}

// addPod adds a pod. A pod that isOrdinary rejects is asked only if the statement names it; otherwise it is
// counted.
func (o *foundEnds) addPod(p *model.Pod, named bool) {
	why, ok := isOrdinary(p)
	switch {
	case o.seenPods[p.Key]:
	case ok:
		o.seenPods[p.Key] = true
		o.pods = append(o.pods, p)
	case named:
		if o.skipped[p.Key] {
			delete(o.skipped, p.Key)
			o.unselected[why]--
		}
		o.addEnd(verdict.Endpoint{Key: p.Key})
	case !o.skipped[p.Key]:
		o.skipped[p.Key] = true
		o.unselected[why]++
	}
}

// leftOutText names pods counted by the reason why policies do not select them: "2 completed, 1 host-networked".
func leftOutText(unselected map[string]int) string {
	var out []string
	for _, why := range []string{"completed", "host-networked", "not scheduled", "on a user-defined network", "without an address"} {
		if n := unselected[why]; n > 0 {
			out = append(out, fmt.Sprintf("%s %s", words.Thousands(n), why))
		}
	}
	return words.List(out, len(out))
}

func (f *endFinder) findEnd(e *StatementEnd, source bool, out *foundEnds) {
	switch {
	case e.Name != "":
		f.findNamed(e.FilePlace, e.Name, source, out)
	case e.Address.isSet:
		for _, a := range e.Address.Names {
			addr, _ := netip.ParseAddr(a) // checked by the reader
			out.addEnd(verdict.AddrEnd(addr))
		}
	case e.Node.isSet:
		f.findNodes(e, out)
	case e.Service.isSet:
		f.findNamed(e.Service.FilePlace, "service/"+e.Namespace.Names[0]+"/"+e.Service.Names[0], source, out)
	default:
		f.findPods(e, out)
	}
}

// findNamed finds an end in the form of rung trace.
func (f *endFinder) findNamed(at FilePlace, name string, source bool, out *foundEnds) {
	if f.names == nil {
		f.names = trace.NewEndNames(f.c, f.rev)
	}
	e, err := f.names.ReadEnd(name, "", !source)
	if err != nil {
		f.addProblem(at, "%v", err)
		return
	}
	pods := f.names.PodsOfWorkload(name)
	switch {
	case len(pods) > 0:
		for _, p := range pods {
			out.addPod(p, true)
		}
	case e.Key.Kind == "":
		out.addEnd(e)
	case e.Key.Kind == model.KindPod:
		if p := f.c.Pod(e.Key.Namespace, e.Key.Name); p != nil {
			out.addPod(p, true)
		} else {
			f.addProblem(at, "%s", f.rev.MissingText("pod "+e.String(), model.KindPod))
		}
	case f.c.Get(e.Key) == nil:
		f.addProblem(at, "%s", f.rev.MissingText(e.String(), e.Key.Kind))
	default:
		out.addEnd(e)
	}
}

func (f *endFinder) findNodes(e *StatementEnd, out *foundEnds) {
	there := map[string]bool{}
	for n := range f.c.Nodes() {
		there[n.Name] = true
		if e.Node.selects(n.Name, n.Labels) {
			out.addEnd(verdict.NodeEnd(n.Name))
		}
	}
	for _, name := range e.Node.Names {
		if !there[name] {
			f.addProblem(e.Node.FilePlace, "%s", f.rev.MissingText("node "+name, model.KindNode))
		}
	}
}

// findPods finds pods by namespace and pod, each by names or labels.
func (f *endFinder) findPods(e *StatementEnd, out *foundEnds) {
	known := len(f.problems)
	spaces := map[string]bool{}
	space := func(name string) bool {
		is, asked := spaces[name]
		if !asked {
			if ns := f.c.Namespace(name); ns != nil {
				is = e.Namespace.selects(name, ns.Labels)
			} else { // a namespace without an object: unknown labels
				is = !e.Namespace.isSet || e.Namespace.byName() && e.Namespace.selects(name, model.Labels{})
			}
			spaces[name] = is
		}
		return is
	}
	hits, byName := 0, map[string][]model.Key{}
	for p := range f.c.Pods() {
		if !space(p.Namespace) || !e.Pod.selects(p.Name, p.Labels) || e.Workload.isSet && !e.Workload.selectsWorkload(p.Workload) {
			continue
		}
		hits++
		byName[p.Name] = append(byName[p.Name], p.Key)
		out.addPod(p, e.Pod.byName())
	}
	for _, name := range e.Namespace.Names {
		if !spaces[name] && f.c.Namespace(name) == nil && !f.imagine {
			f.addProblem(e.Namespace.FilePlace, "%s", f.rev.MissingText("namespace "+name, model.KindNamespace))
		}
	}
	if e.Workload.isSet && hits == 0 && len(f.problems) == known {
		f.addProblem(e.Workload.FilePlace, "workload %s has no pods", e)
	}
	for _, name := range e.Pod.Names {
		switch keys := byName[name]; {
		case len(f.problems) > known:
		case len(keys) == 0:
			in := ""
			if e.Namespace.isSet {
				in = e.Namespace.String() + "/"
			}
			f.addProblem(e.Pod.FilePlace, "%s", f.rev.MissingText("pod "+in+name, model.KindPod))
		case len(keys) > 1 && !e.Namespace.isSet:
			f.addProblem(e.Pod.FilePlace, "%v", trace.AmbiguousError(name, keys))
		}
	}
	if f.imagine && hits == 0 && len(f.problems) == known {
		f.imaginePods(e, out)
	}
}
