package verify

import (
	"fmt"
	"net/netip"
	"slices"

	"rung/engine/trace"
	"rung/model"
	"rung/model/clean"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// found are the ends that one side of a statement means.
type found struct {
	// pods have an address on the default network: classes know them. others are asked
	// one by one.
	pods   []*model.Pod
	others []verdict.Endpoint
	// left counts pods that labels match and policies do not select, by why.
	left map[string]int
	// skipped are they, by key: one may be named yet. seen are all others.
	skipped map[model.Key]bool
	seen    map[model.Key]bool
	// imagined are pods that do not exist.
	imagined []model.Key
}

// finder finds the ends of statements in a cluster.
type finder struct {
	c        *model.Cluster
	names    *trace.Names // of c, made when a name alone is met
	problems []*Problem
	// imagine says that pods which do not exist are taken as if they did; things are those.
	imagine bool
	things  []revision.Imagined
	spaces  map[string]string // of imagined namespaces, by labels
}

func (f *finder) wrong(at Place, format string, args ...any) {
	f.problems = append(f.problems, &Problem{at, clean.Text(fmt.Sprintf(format, args...))})
}

// ordinary says whether policies select the pod by its labels, and why not.
func ordinary(p *model.Pod) (why string, ok bool) {
	switch {
	case p.Completed():
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

// side finds the ends of one side.
func (f *finder) side(ends []End, source bool) *found {
	out := &found{left: map[string]int{}, skipped: map[model.Key]bool{}, seen: map[model.Key]bool{}}
	for i := range ends {
		f.end(&ends[i], source, out)
	}
	return out
}

// other takes in an end that is asked by itself.
func (o *found) other(e verdict.Endpoint) {
	if e.Key == (model.Key{}) {
		if !slices.Contains(o.others, e) {
			o.others = append(o.others, e)
		}
	} else if !o.seen[e.Key] {
		o.seen[e.Key] = true
		o.others = append(o.others, e)
	}
}

// pod takes in a pod; by its name it is asked whatever it is.
func (o *found) pod(p *model.Pod, named bool) {
	why, ok := ordinary(p)
	switch {
	case o.seen[p.Key]:
	case ok:
		o.seen[p.Key] = true
		o.pods = append(o.pods, p)
	case named:
		if o.skipped[p.Key] {
			delete(o.skipped, p.Key)
			o.left[why]--
		}
		o.other(verdict.Endpoint{Key: p.Key})
	case !o.skipped[p.Key]:
		o.skipped[p.Key] = true
		o.left[why]++
	}
}

// leftOut are the pods left out, for people: "2 completed, 1 host-networked".
func (o *found) leftOut() string {
	var out []string
	for _, why := range []string{"completed", "host-networked", "not scheduled", "on a user-defined network", "without an address"} {
		if n := o.left[why]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, why))
		}
	}
	return words.List(out, len(out))
}

func (f *finder) end(e *End, source bool, out *found) {
	switch {
	case e.Name != "":
		f.named(e.Place, e.Name, source, out)
	case e.Address.made:
		for _, a := range e.Address.Names {
			addr, _ := netip.ParseAddr(a) // checked by the reader
			out.other(verdict.AddrEnd(addr))
		}
	case e.Node.made:
		f.nodes(e, out)
	case e.Service.made:
		f.named(e.Service.Place, "service/"+e.Namespace.Names[0]+"/"+e.Service.Names[0], source, out)
	default:
		f.pods(e, out)
	}
}

// named finds an end as rung trace takes it.
func (f *finder) named(at Place, name string, source bool, out *found) {
	if f.names == nil {
		f.names = trace.NamesOf(f.c)
	}
	e, err := f.names.End(name, !source)
	if err != nil {
		f.wrong(at, "%v", err)
		return
	}
	switch {
	case e.Key.Kind == "":
		out.other(e)
	case e.Key.Kind == model.KindPod:
		if p := f.c.Pod(e.Key.Namespace, e.Key.Name); p != nil {
			out.pod(p, true)
		} else {
			f.wrong(at, "pod %s does not exist", e)
		}
	case f.c.Get(e.Key) == nil:
		f.wrong(at, "%s does not exist", e)
	default:
		out.other(e)
	}
}

func (f *finder) nodes(e *End, out *found) {
	there := map[string]bool{}
	for n := range f.c.Nodes() {
		there[n.Name] = true
		if e.Node.has(n.Name, n.Labels) {
			out.other(verdict.NodeEnd(n.Name))
		}
	}
	for _, name := range e.Node.Names {
		if !there[name] {
			f.wrong(e.Node.Place, "node %s does not exist", name)
		}
	}
}

// pods finds pods by their namespace and themselves, each by names or labels.
func (f *finder) pods(e *End, out *found) {
	known := len(f.problems)
	spaces := map[string]bool{}
	space := func(name string) bool {
		is, asked := spaces[name]
		if !asked {
			ns := f.c.Namespace(name)
			switch {
			case ns != nil:
				is = e.Namespace.has(name, ns.Labels)
			default: // a namespace without an object: its labels are not known
				is = !e.Namespace.made || e.Namespace.byName() && e.Namespace.has(name, model.Labels{})
			}
			spaces[name] = is
		}
		return is
	}
	hits, byName := 0, map[string][]model.Key{}
	for p := range f.c.Pods() {
		if !space(p.Namespace) || !e.Pod.has(p.Name, p.Labels) {
			continue
		}
		hits++
		byName[p.Name] = append(byName[p.Name], p.Key)
		out.pod(p, e.Pod.byName())
	}
	for _, name := range e.Namespace.Names {
		if !spaces[name] && f.c.Namespace(name) == nil && !f.imagine {
			f.wrong(e.Namespace.Place, "namespace %s does not exist", name)
		}
	}
	for _, name := range e.Pod.Names {
		switch keys := byName[name]; {
		case len(f.problems) > known:
		case len(keys) == 0:
			in := ""
			if e.Namespace.made {
				in = e.Namespace.String() + "/"
			}
			f.wrong(e.Pod.Place, "pod %s%s does not exist", in, name)
		case len(keys) > 1 && !e.Namespace.made:
			var all []string
			for _, k := range keys {
				all = append(all, trace.EndText(k))
			}
			f.wrong(e.Pod.Place, "%q is ambiguous: %s", name, words.Cut(all, " or ", 4))
		}
	}
	if f.imagine && hits == 0 && len(f.problems) == known {
		f.imagined(e, out)
	}
}
