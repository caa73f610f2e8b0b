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

// LargestPriority is the largest priority the API takes; those above what
// OVN-Kubernetes supports are stored and not enforced (ovn-kubernetes.md#priorities).
const LargestPriority = 1000

// ErrNoRoom marks an arrangement that the supported priorities cannot hold.
var ErrNoRoom = errors.New("no room")

// Slot is one policy and its priority.
type Slot struct {
	Policy   string `json:"policy"`
	Priority int32  `json:"priority"`
}

// Board is a ladder of AdminNetworkPolicies by priority. It does not change.
type Board struct {
	slots  []Slot // by priority, then name
	groups []priorityGroup
	max    int32
}

// priorityGroup are the policies of one priority; to is where they shall go.
type priorityGroup struct {
	members  []string
	from, to int32
}

// NewBoard makes a board; max is the largest supported priority. Names must be
// unique and priorities what the API takes.
func NewBoard(slots []Slot, max int32) (*Board, error) {
	b := &Board{slots: slices.Clone(slots), max: max}
	if max < 0 || max > LargestPriority {
		return nil, fmt.Errorf("largest supported priority %d is not between 0 and %d", max, LargestPriority)
	}
	sortSlots(b.slots)
	seen := make(map[string]bool, len(slots))
	for _, s := range b.slots {
		switch {
		case s.Policy == "":
			return nil, errors.New("a policy has no name")
		case seen[s.Policy]:
			return nil, fmt.Errorf("policy %s stands on the ladder twice", s.Policy)
		case s.Priority < 0 || s.Priority > LargestPriority:
			return nil, fmt.Errorf("policy %s has priority %d; the API takes 0 to %d", s.Policy, s.Priority, LargestPriority)
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

// BoardOfCluster is the board of a cluster's AdminNetworkPolicies, and where they are compiled
// (cnp) of its ClusterNetworkPolicies of tier Admin, which share their priorities.
func BoardOfCluster(c *model.Cluster, max int32, cnp bool) (*Board, error) {
	var slots []Slot
	for p := range c.Policies(model.KindANP) {
		slots = append(slots, Slot{NameOfPolicy(p.Key), p.Priority})
	}
	for p := range c.Policies(model.KindCNP) {
		if cnp && p.Tier == model.TierAdmin {
			slots = append(slots, Slot{NameOfPolicy(p.Key), p.Priority})
		}
	}
	return NewBoard(slots, max)
}

// NameOfPolicy returns the name of a policy in slots and steps: an AdminNetworkPolicy's own, a
// ClusterNetworkPolicy's as "CNP name".
func NameOfPolicy(k model.PolicyKey) string { return k.ShortLabel() }

// KeyOfName is the policy that is called so.
func KeyOfName(name string) model.PolicyKey {
	if rest, ok := strings.CutPrefix(name, model.KindCNP.Abbreviation()+" "); ok {
		return model.PolicyKey{Kind: model.KindCNP, Name: rest}
	}
	return model.PolicyKey{Kind: model.KindANP, Name: name}
}

func sortSlots(s []Slot) {
	slices.SortFunc(s, func(a, b Slot) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Policy, b.Policy))
	})
}

// Slots are the policies by priority, then name.
func (b *Board) Slots() []Slot { return slices.Clone(b.slots) }

// Max is the largest supported priority.
func (b *Board) Max() int32 { return b.max }

// Priority of a policy; ok is false for one that is not on the board.
func (b *Board) Priority(policy string) (priority int32, ok bool) {
	for _, s := range b.slots {
		if s.Policy == policy {
			return s.Priority, true
		}
	}
	return 0, false
}

// FreeRuns are the runs of free supported priorities.
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

// SmallestGap is the least room between two neighbouring supported priorities
// in use, 0 where two touch; ok is false with fewer than two.
func (b *Board) SmallestGap() (room int, ok bool) {
	groups := b.supportedGroups()
	for i := 1; i < len(groups); i++ {
		if between := int(groups[i].from-groups[i-1].from) - 1; !ok || between < room {
			room, ok = between, true
		}
	}
	return room, ok
}

// WithMoved is the board with some policies at other priorities.
func (b *Board) WithMoved(to map[string]int32) *Board {
	slots := b.Slots()
	for i := range slots {
		if p, ok := to[slots[i].Policy]; ok {
			slots[i].Priority = p
		}
	}
	moved, err := NewBoard(slots, b.max)
	if err != nil {
		return b // such a priority cannot be given to anybody
	}
	return moved
}

// Tie is the answer of RoomBelow for all but the last of the policies that share a
// priority.
const Tie = "tie"

// RoomBelow is how many priorities are free between a policy and the next one, or the end:
// "5"; Tie where the next has the same priority, and nothing where the policy is above what
// is supported or not on the board.
func (b *Board) RoomBelow(policy string) string {
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

// LargestGap is the length of the longest free run.
func (b *Board) LargestGap() (longest int) {
	for _, g := range b.FreeRuns() {
		longest = max(longest, g.FreeCount())
	}
	return longest
}

// supportedGroups are the groups that are enforced: the others come behind them.
func (b *Board) supportedGroups() []priorityGroup {
	n, _ := slices.BinarySearchFunc(b.groups, b.max+1, func(g priorityGroup, p int32) int { return cmp.Compare(g.from, p) })
	return b.groups[:n]
}
