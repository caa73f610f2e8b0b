package effect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/change"
	"rung/change/guard"
	"rung/model"
	"rung/model/selectors"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

// noteWriter notes the important consequences of one object's change.
type noteWriter struct {
	rev, next *revision.Revision
	change    *change.ObjectChange
	// Namespaces whose isolation has been noted.
	isolated map[string]bool
}

// NotesOfChange notes the important consequences of one object's change. isolated are the namespaces whose
// isolation has been noted; it adds to them.
func NotesOfChange(rev, next *revision.Revision, c *change.ObjectChange, isolated map[string]bool) []Consequence {
	n := noteWriter{rev: rev, next: next, change: c, isolated: isolated}
	var out []Consequence
	if n.change.Key.Kind.IsReferenced() {
		return n.namingNotes()
	}
	if k := n.change.Key.Kind; k.CanMove() && (k != model.KindCNP || n.next.Flags.CompileCNP || n.next.PolicyOrder() != nil) {
		out = append(out, n.priorityNotes()...)
	}
	out = append(out, n.enforcementNotes()...)
	out = append(out, n.subjectNotes()...)
	if n.change.Key.Kind == model.KindNP {
		out = append(out, n.isolationNotes()...)
	}
	for _, dir := range model.Directions {
		if n.newDeny(dir) {
			text := n.next.System.NewDeny[dir]
			if c := (Consequence{"note " + text, text, true}); !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// namingNotes names the policies that refer to an object which decides nothing by itself.
func (n *noteWriter) namingNotes() []Consequence {
	var names []string
	for _, k := range system.PoliciesNaming(n.next.Cluster, n.change.Key) {
		names = append(names, k.Label())
	}
	verb := "is named by "
	if n.change.New == nil {
		verb = "is still named by "
	}
	if len(names) == 0 {
		return []Consequence{{"named", "no policy names it", false}}
	}
	return []Consequence{{"named " + strings.Join(names, " "), verb + words.ListSome(names, 3), n.change.New == nil}}
}

// enforcementNotes notes that a policy stops or begins to be programmed.
func (n *noteWriter) enforcementNotes() (out []Consequence) {
	zones, at := CountLiveZones(n.rev, n.change.Key)
	was := n.rev.WhyNoRows(n.change.Key)
	// The identity leaves out the number of zones with rows.
	add := func(is, format string, args ...any) {
		out = append(out, Consequence{"enforcement " + is, fmt.Sprintf(format, args...), n.change.New != nil})
	}
	if n.change.New == nil {
		if was != nil && zones > 0 {
			add("frozen rows go", "the frozen rows, which still decide, are deleted in %s", words.Count(zones, "zone"))
		}
		return out
	}
	will := n.next.WhyNoRows(n.change.Key)
	if will == nil {
		if was != nil {
			add("begins", "comes into force: it was not programmed until now")
		}
		return out
	}
	why := revision.NoRowsShort(n.rev, will)
	switch {
	case zones > 0 && at >= 0:
		add(fmt.Sprint("frozen at ", at),
			"will not be programmed (%s): its old rows remain and still decide at %d", why, at)
	case zones > 0:
		add("frozen", "will not be programmed (%s): its old rows remain and still decide", why)
	default:
		add("none", "will not be enforced: %s", why)
	}
	return out
}

// subjectNotes notes how many pods the policy applies to. ReachConsequences compares which pods.
func (n *noteWriter) subjectNotes() []Consequence {
	note := func(format string, args ...any) []Consequence {
		return []Consequence{{"subject", fmt.Sprintf(format, args...), false}}
	}
	was := revision.CountSubjects(n.rev, n.change.Key)
	if n.change.New == nil {
		if was.IsUnread {
			return note("which pods it applied to is %s", n.rev.Unread(model.KindPod, model.KindNamespace).Text())
		}
		if was.SelectedPods() == 0 {
			return note("it applied to no pods")
		}
		return note("no longer applies to %s", was)
	}
	if !n.next.BySelectors(n.change.New) && (!n.next.IsCompiled(n.change.Key) || n.next.WhyNoRows(n.change.Key) != nil) {
		return nil
	}
	is := revision.CountSubjects(n.next, n.change.Key)
	if n.change.Old != nil && n.rev.WhyNoRows(n.change.Key) == nil {
		out := n.joiningPodNotes()
		if was != is {
			return append(note("applies to %s; before: %s", is, was), out...)
		}
		if len(out) > 0 {
			return append(note("applies to %s", is), out...)
		}
	}
	if is.IsUnread {
		return note("which pods it applies to is %s", n.next.Unread(model.KindPod, model.KindNamespace).Text())
	}
	if is.SelectedPods() == 0 {
		return note("applies to no pods")
	}
	return note("applies to %s", is)
}

// joiningPodNotes names pods that the policy begins or ceases to select while it keeps others.
func (n *noteWriter) joiningPodNotes() (out []Consequence) {
	was, is := n.rev.Subjects(n.change.Key), n.next.Subjects(n.change.Key)
	for _, side := range []struct {
		what        string
		pods, other []*model.Pod
	}{{"newly selected", is, was}, {"no longer selected", was, is}} {
		begin, kinds := newPods(side.pods, side.other)
		if len(begin) == 0 {
			continue
		}
		var names []string
		for _, p := range begin {
			names = append(names, p.Namespace+"/"+p.Name)
		}
		out = append(out, Consequence{side.what + kinds, side.what + ": " + words.ListSome(names, 3), false})
	}
	return out
}

// isolationNotes notes pods that begin or cease to be isolated: pods of a NetworkPolicy that no other
// NetworkPolicy isolates in that direction (ovn-kubernetes.md#isolation-groups).
func (n *noteWriter) isolationNotes() (out []Consequence) {
	ns := n.change.Key.Namespace
	if n.isolated[ns] {
		return nil
	}
	n.isolated[ns] = true
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		unit := revision.DefaultDeny(ns, dir)
		was, is := n.rev.Subjects(unit), n.next.Subjects(unit)
		if begin, kinds := newPods(is, was); len(begin) > 0 {
			out = append(out, Consequence{"isolates " + dir.Lower() + kinds,
				fmt.Sprintf("isolates %s of %s (%s) that no NetworkPolicy isolated before: %s",
					words.Count(len(begin), "pod"), ns, dir.Lower(), n.next.System.NewIsolation[dir]), true})
		}
		if end, kinds := newPods(was, is); len(end) > 0 {
			out = append(out, Consequence{"no longer isolates " + dir.Lower() + kinds,
				fmt.Sprintf("%s of %s no longer isolated: %s is now allowed unless a rule denies it",
					words.Count(len(end), "pod"), ns, dir.Lower()), true})
		}
	}
	return out
}

// newPods returns the pods that are not in other, and their kinds.
func newPods(pods, other []*model.Pod) (out []*model.Pod, kinds string) {
	has := make(map[model.Key]bool, len(other))
	for _, p := range other {
		has[p.Key] = true
	}
	seen := map[string]bool{}
	for _, p := range pods {
		if !has[p.Key] {
			out = append(out, p)
			seen[selectors.ReplicaKey(p)] = true
		}
	}
	return out, strings.Join(slices.Sorted(maps.Keys(seen)), "\n")
}

// newDeny reports whether, after the change, a rule of that direction denies that did not deny before.
func (n *noteWriter) newDeny(dir model.Direction) bool {
	if n.change.New == nil || n.next.WhyNoRows(n.change.Key) != nil { // the policy is not programmed
		return false
	}
	old := n.change.Old
	if n.rev.WhyNoRows(n.change.Key) != nil {
		old = nil
	}
	return guard.NewDeny(old, n.change.New, dir)
}
