package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/engine/revision"
	"rung/model"
	"rung/model/words"
)

// How the note of a move begins that changes the order of no two policies.
const (
	orderKept = "order against "
	noOther   = "there is no other AdminNetworkPolicy"
)

// noter writes the consequences of one object's change that are worth reading.
type noter struct {
	rev, next *revision.Revision
	c         *ObjectChange
	// isolated are the namespaces whose isolation has been noted.
	isolated map[string]bool
}

func (n *noter) notes() []consequence {
	var out []consequence
	if n.c.Key.Kind == model.KindANP {
		for _, text := range n.priority() {
			is := "note " + text
			if text == noOther || strings.HasPrefix(text, orderKept) {
				is = orderKept // against whom is no matter
			}
			out = append(out, consequence{is, text})
		}
	}
	out = append(out, n.enforcement()...)
	out = append(out, n.subject()...)
	if n.c.Key.Kind == model.KindNP {
		out = append(out, n.isolation()...)
	}
	if n.newDeny() {
		const text = "a new Deny also cuts established connections"
		out = append(out, consequence{"note " + text, text})
	}
	return out
}

// priority tells who shares the old and new priority and whether the order
// among the policies changes.
func (n *noter) priority() (out []string) {
	old, now := n.c.Old, n.c.New
	if old != nil && now != nil && old.Priority == now.Priority {
		return nil
	}
	if now != nil {
		if with := n.sharing(now.Priority); len(with) > 0 {
			out = append(out, fmt.Sprintf("%d is shared with %s: "+
				"where rules with the same number disagree, which one wins is undefined", now.Priority, words.Some(with, 3)))
		} else {
			out = append(out, fmt.Sprintf("no other policy at %d", now.Priority))
		}
		if rows := n.rev.StrayRowsAt(now.Priority, n.c.Key); len(rows) > 0 {
			out = append(out, fmt.Sprintf("other live rows decide at %d: %s", now.Priority, words.Some(rows, 3)))
		}
	}
	if old != nil {
		if with := n.sharing(old.Priority); len(with) > 0 {
			out = append(out, fmt.Sprintf("%s %s at %d", words.Some(with, 3), words.Form(len(with), "remains", "remain"), old.Priority))
		} else {
			out = append(out, fmt.Sprintf("%d becomes free", old.Priority))
		}
	}
	switch {
	case old != nil && now != nil:
		return append(out, n.order()...)
	case now != nil:
		return append(out, n.place("decides", now.Priority))
	}
	return out
}

func itOrThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// others are the other ANPs after the change, by priority and name.
func (n *noter) others() (out []*model.Policy) {
	for p := range n.next.Cluster.Policies(model.KindANP) {
		if p.Key != n.c.Key {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *model.Policy) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.Key.Compare(b.Key))
	})
	return out
}

func (n *noter) sharing(priority int32) (out []string) {
	for _, p := range n.others() {
		if p.Priority == priority {
			out = append(out, p.Name)
		}
	}
	return out
}

// order tells how the order against the other policies changes.
func (n *noter) order() (out []string) {
	from, to := n.c.Old.Priority, n.c.New.Priority
	var above, below, parted []string
	for _, p := range n.others() {
		was := p.Priority
		if old := n.rev.Cluster.Policy(p.Key); old != nil {
			was = old.Priority // it moves with the same change
		}
		before, after := cmp.Compare(from, was), cmp.Compare(to, p.Priority)
		name := fmt.Sprintf("%s (%d)", p.Name, p.Priority)
		switch {
		case before == after:
		case after == 0: // noted as sharing
		case after < 0:
			above = append(above, name)
		default:
			below = append(below, name)
		}
		if before == 0 && after != 0 {
			parted = append(parted, name)
		}
	}
	if len(above)+len(below) == 0 && len(n.sharing(to)) == 0 {
		return append(out, n.place("order", to))
	}
	if len(above) > 0 {
		out = append(out, "moves above "+words.Some(above, 3)+": now decides before "+itOrThem(len(above)))
	}
	if len(below) > 0 {
		out = append(out, "moves below "+words.Some(below, 3)+": now decides after "+itOrThem(len(below)))
	}
	if len(parted) > 0 {
		out = append(out, "no longer shares a priority with "+words.Some(parted, 3))
	}
	return out
}

// place names the neighbours at a priority.
func (n *noter) place(verb string, priority int32) string {
	var above, below *model.Policy
	for _, p := range n.others() {
		switch {
		case p.Priority < priority:
			above = p
		case p.Priority > priority && below == nil:
			below = p
		}
	}
	var names []string
	if verb == "order" {
		for _, p := range []*model.Policy{above, below} {
			if p != nil {
				names = append(names, fmt.Sprintf("%s (%d)", p.Name, p.Priority))
			}
		}
		if len(names) == 0 {
			return noOther
		}
		return orderKept + strings.Join(names, " and ") + " unchanged"
	}
	if above != nil {
		names = append(names, fmt.Sprintf("after %s (%d)", above.Name, above.Priority))
	}
	if below != nil {
		names = append(names, fmt.Sprintf("before %s (%d)", below.Name, below.Priority))
	}
	if len(names) == 0 {
		return noOther
	}
	return verb + " " + strings.Join(names, " and ")
}

// enforcement tells when a policy stops or begins to be programmed.
func (n *noter) enforcement() (out []consequence) {
	zones, at := liveIn(n.rev, n.c.Key)
	was := n.rev.None(n.c.Key)
	// In how many zones there are rows just now is no matter.
	add := func(is, format string, args ...any) {
		out = append(out, consequence{"enforcement " + is, fmt.Sprintf(format, args...)})
	}
	if n.c.New == nil {
		if was != nil && zones > 0 {
			add("frozen rows go", "the frozen rows, which still decide, are deleted in %s", words.Count(zones, "zone"))
		}
		return out
	}
	will := n.next.None(n.c.Key)
	if will == nil {
		if was != nil {
			add("begins", "comes into force: it was not programmed until now")
		}
		return out
	}
	why := n.rev.NoRowsShort(will)
	switch {
	case zones > 0 && at >= 0:
		add(fmt.Sprint("frozen at ", at),
			"will not be programmed (%s): the rows it has stay and still decide at %d", why, at)
	case zones > 0:
		add("frozen", "will not be programmed (%s): the rows it has stay and still decide", why)
	default:
		add("none", "will not be enforced: %s", why)
	}
	return out
}

// subject tells how many pods the policy applies to. Which they are, seen.reach
// compares.
func (n *noter) subject() []consequence {
	note := func(format string, args ...any) []consequence {
		return []consequence{{"subject", fmt.Sprintf(format, args...)}}
	}
	was := n.rev.SubjectCount(n.c.Key)
	if n.c.New == nil {
		if was.All() == 0 {
			return note("it applied to no pods")
		}
		return note("no longer applies to %s", was)
	}
	if !n.next.Compiled(n.c.Key) || n.next.None(n.c.Key) != nil {
		return nil
	}
	is := n.next.SubjectCount(n.c.Key)
	if n.c.Old != nil && was != is && n.rev.None(n.c.Key) == nil {
		return note("applies to %s; before: %s", is, was)
	}
	if is.All() == 0 {
		return note("applies to no pods")
	}
	return note("applies to %s", is)
}

// isolation tells which pods begin or cease to be isolated: those of a
// NetworkPolicy that no other isolates in that direction
// (ovn-kubernetes.md#isolation-groups).
func (n *noter) isolation() (out []consequence) {
	ns := n.c.Key.Namespace
	if n.isolated[ns] {
		return nil
	}
	n.isolated[ns] = true
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		unit := revision.DefaultDeny(ns, dir)
		was, is := n.rev.Subjects(unit), n.next.Subjects(unit)
		if begin, kinds := newcomers(is, was); begin > 0 {
			out = append(out, consequence{"isolates " + dir.Lower() + kinds,
				fmt.Sprintf("isolates %s of %s (%s) that no NetworkPolicy isolated before: "+
					"what none allows is dropped, established connections too",
					words.Count(begin, "pod"), ns, dir.Lower())})
		}
		if end, kinds := newcomers(was, is); end > 0 {
			out = append(out, consequence{"no longer isolates " + dir.Lower() + kinds,
				fmt.Sprintf("%s of %s no longer isolated (%s): what nothing else denies gets through",
					words.Count(end, "pod"), ns, dir.Lower())})
		}
	}
	return out
}

// newcomers counts the pods of a list that another has not, and says of which
// kinds they are.
func newcomers(pods, other []*model.Pod) (n int, kinds string) {
	has := make(map[model.Key]bool, len(other))
	for _, p := range other {
		has[p.Key] = true
	}
	seen := map[string]bool{}
	for _, p := range pods {
		if !has[p.Key] {
			n++
			seen[podKind(p)] = true
		}
	}
	return n, strings.Join(slices.Sorted(maps.Keys(seen)), "\n")
}

// newDeny says whether a rule denies after the change that did not before.
func (n *noter) newDeny() bool {
	if n.c.New == nil {
		return false
	}
	var had []*model.Rule
	if n.c.Old != nil && sameSubject(n.c.Old, n.c.New) && n.rev.None(n.c.Key) == nil {
		had = rulesOf(n.c.Old, model.Deny)
	}
	for _, r := range rulesOf(n.c.New, model.Deny) {
		if !slices.ContainsFunc(had, func(o *model.Rule) bool { return sameRule(*o, *r) }) {
			return true
		}
	}
	return false
}
