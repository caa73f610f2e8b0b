package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ladder"
)

// LargestPriority is the largest priority the API accepts. OVN-Kubernetes does not enforce those above its
// supported range (ovn-kubernetes.md#priorities).
const LargestPriority = 1000

// ErrNoSpace marks an arrangement that does not fit into the supported priorities.
var ErrNoSpace = errors.New("no room")

// Placement is one policy with its priority.
type Placement struct {
	Policy   string `json:"policy"`
	Priority int32  `json:"priority"`
}

// Board is an immutable ladder of AdminNetworkPolicies by priority.
type Board struct {
	placements []Placement // by priority, then name
	groups     []priorityGroup
	max        int32
}

// priorityGroup is the policies of one priority; to is their target.
type priorityGroup struct {
	members  []string
	from, to int32
}

// NewBoard makes a board; max is the largest supported priority. Names must be unique and priorities valid.
func NewBoard(slots []Placement, max int32) (*Board, error) {
	b := &Board{placements: slices.Clone(slots), max: max}
	if max < 0 || max > LargestPriority {
		return nil, fmt.Errorf("largest supported priority %d is not between 0 and %d", max, LargestPriority)
	}
	sortPlacements(b.placements)
	seen := make(map[string]bool, len(slots))
	for _, s := range b.placements {
		switch {
		case s.Policy == "":
			return nil, errors.New("a policy has no name")
		case seen[s.Policy]:
			return nil, fmt.Errorf("policy %s is on the ladder twice", s.Policy)
		case s.Priority < 0 || s.Priority > LargestPriority:
			return nil, fmt.Errorf("policy %s has priority %d: must be 0–%d", s.Policy, s.Priority, LargestPriority)
		}
		seen[s.Policy] = true
		if n := len(b.groups); n > 0 && b.groups[n-1].from == s.Priority {
			b.groups[n-1].members = append(b.groups[n-1].members, s.Policy)
		} else {
			b.groups = append(b.groups, priorityGroup{members: []string{s.Policy}, from: s.Priority, to: s.Priority})
		}
	}
	return b, nil
}

// BoardOfCluster returns the board of a cluster's AdminNetworkPolicies. With cnp it includes the
// ClusterNetworkPolicies of tier Admin, which are compiled then and share the priorities.
func BoardOfCluster(c *model.Cluster, max int32, cnp bool) (*Board, error) {
	var slots []Placement
	for p := range c.Policies(model.KindANP) {
		slots = append(slots, Placement{NameOfPolicy(p.Key), p.Priority})
	}
	for p := range c.Policies(model.KindCNP) {
		if cnp && p.Tier == model.TierAdmin {
			slots = append(slots, Placement{NameOfPolicy(p.Key), p.Priority})
		}
	}
	return NewBoard(slots, max)
}

// NameOfPolicy returns the name of a policy in placements and steps: an AdminNetworkPolicy's own name, or "CNP
// name" for a ClusterNetworkPolicy.
func NameOfPolicy(k model.PolicyKey) string { return k.ShortLabel() }

// KeyOfName returns the key of the policy for a name from NameOfPolicy.
func KeyOfName(name string) model.PolicyKey {
	if rest, ok := strings.CutPrefix(name, model.KindCNP.Abbreviation()+" "); ok {
		return model.PolicyKey{Kind: model.KindCNP, Name: rest}
	}
	return model.PolicyKey{Kind: model.KindANP, Name: name}
}

func sortPlacements(s []Placement) {
	slices.SortFunc(s, func(a, b Placement) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Policy, b.Policy))
	})
}

// Placements returns the policies by priority, then name.
func (b *Board) Placements() []Placement { return slices.Clone(b.placements) }

// Max returns the largest supported priority.
func (b *Board) Max() int32 { return b.max }

// Priority returns the priority of a policy; ok is false if it is not on the board.
func (b *Board) Priority(policy string) (priority int32, ok bool) {
	for _, s := range b.placements {
		if s.Policy == policy {
			return s.Priority, true
		}
	}
	return 0, false
}

// FreeRuns returns the runs of free supported priorities.
func (b *Board) FreeRuns() []ladder.Gap {
	used := make([]int32, len(b.groups))
	for i, g := range b.groups {
		used[i] = g.from
	}
	return ladder.FreeGaps(used, b.max)
}

// FreeCount counts the free supported priorities.
func (b *Board) FreeCount() (n int) {
	for _, g := range b.FreeRuns() {
		n += g.FreeCount()
	}
	return n
}

// SmallestGap returns the smallest gap between two neighbouring supported priorities in use, 0 if two touch.
// ok is false with fewer than two.
func (b *Board) SmallestGap() (room int, ok bool) {
	groups := b.supportedGroups()
	for i := 1; i < len(groups); i++ {
		if between := int(groups[i].from-groups[i-1].from) - 1; !ok || between < room {
			room, ok = between, true
		}
	}
	return room, ok
}

// WithMoved returns the board with some policies at other priorities.
func (b *Board) WithMoved(to map[string]int32) *Board {
	slots := b.Placements()
	for i := range slots {
		if p, ok := to[slots[i].Policy]; ok {
			slots[i].Priority = p
		}
	}
	moved, err := NewBoard(slots, b.max)
	if err != nil {
		return b // the API accepts no such priority
	}
	return moved
}

// Tie is the answer of GapBelow for all policies of a priority except the last.
const Tie = "tie"

// GapBelow returns the number of free priorities between a policy and the next one, or the end: "5". It is
// Tie if the next has the same priority. It is "" if the policy is not on the board or not supported.
func (b *Board) GapBelow(policy string) string {
	groups := b.supportedGroups()
	for i, g := range groups {
		at := slices.Index(g.members, policy)
		switch {
		case at < 0:
			continue
		case at < len(g.members)-1:
			return Tie
		case i+1 < len(groups):
			return strconv.Itoa(int(groups[i+1].from-g.from) - 1)
		}
		return strconv.Itoa(int(b.max - g.from))
	}
	return ""
}

// LargestGap returns the length of the longest free run.
func (b *Board) LargestGap() (longest int) {
	for _, g := range b.FreeRuns() {
		longest = max(longest, g.FreeCount())
	}
	return longest
}

// supportedGroups returns the enforced groups, which precede the others.
func (b *Board) supportedGroups() []priorityGroup {
	n, _ := slices.BinarySearchFunc(b.groups, b.max+1, func(g priorityGroup, p int32) int { return cmp.Compare(g.from, p) })
	return b.groups[:n]
}
