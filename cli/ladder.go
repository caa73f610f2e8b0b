package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
)

func (a *app) ladderCmd() *cobra.Command {
	var watch *bool
	cmd := &cobra.Command{
		Use:   "ladder",
		Short: "The precedence ladder: every tier, gaps, duplicates and unsupported priorities marked",
		Long: `Ladder prints the policies in the order in which they decide. With --nb it says
besides how many zones' rows are in sync with each of them.`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.show(cmd.Context(), *watch, query{zones: len(a.flags.nb) > 0, answer: ladderAnswer})
		},
	}
	watch = watchFlag(cmd)
	return cmd
}

func ladderAnswer(e *engine.Engine, r *engine.Revision) (*answer, error) {
	ans := &answer{value: r.Ladder(), text: func(wide bool) string { return ladderText(r, e.Now(), wide) }}
	if len(r.Zones) > 0 {
		ans.value = &ladderLive{r.Ladder(), ladderStates(r, e.Now())}
	}
	return ans, nil
}

// ladderLive is the ladder's JSON with the states of the policies.
type ladderLive struct {
	ladder *model.Ladder
	states []stateOut
}

type stateOut struct {
	Policy string            `json:"policy"`
	State  model.PolicyState `json:"state"`
	Text   string            `json:"text"`
	InSync int               `json:"zones_in_sync"`
	Zones  int               `json:"zones"`
}

// MarshalJSON adds the states to the contract's form.
func (l *ladderLive) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(l.ladder)
	if err != nil {
		return nil, err
	}
	states, err := json.Marshal(l.states)
	if err != nil {
		return nil, err
	}
	return append(append(append(raw[:len(raw)-1], `,"states":`...), states...), '}'), nil
}

func ladderStates(r *engine.Revision, now time.Time) []stateOut {
	out := []stateOut{}
	for _, k := range model.Order(r.Cluster) {
		if k.Kind.IsAdmin() {
			s := r.Summary(k, now)
			out = append(out, stateOut{k.String(), s.State, s.Text, s.InSync, s.Zones})
		}
	}
	return out
}

// ladderTable draws the ladder line by line.
type ladderTable struct {
	*tableOut
	r    *engine.Revision
	l    *model.Ladder
	now  time.Time
	wide bool
}

func ladderText(r *engine.Revision, now time.Time, wide bool) string {
	t := &ladderTable{&tableOut{head: []string{"TIER", "PRIO", "POLICY", "SUBJECT", "INGRESS", "EGRESS", "PODS", "ACLS", "LOG"}},
		r, r.Ladder(), now, wide}
	if len(r.Zones) > 0 {
		t.head = append(t.head, "ZONES", "STATE")
	}
	if wide {
		t.head = append(t.head, "FILE")
	}
	t.head = append(t.head, "MARKS")
	for i := range t.l.Tiers {
		t.tier(&t.l.Tiers[i])
	}
	for _, b := range t.l.Broken {
		text := b.Message
		if b.Field != "" {
			text = b.Field + ": " + text
		}
		t.note("", "✗ "+brokenName(b), text)
	}
	return t.String()
}

func (t *ladderTable) tier(tier *model.LadderTier) {
	gaps := tier.Gaps
	gap := func(before int32) {
		for len(gaps) > 0 && gaps[0].From < before {
			t.add(strconv.Itoa(tier.Tier), "", fmt.Sprintf("┊ %d free  %s", gaps[0].Len(), gapRange(gaps[0])))
			gaps = gaps[1:]
		}
	}
	for i := range tier.Rungs {
		rung := &tier.Rungs[i]
		prio := ""
		if tier.Kind == model.KindANP {
			gap(rung.Priority)
			prio = strconv.Itoa(int(rung.Priority))
		}
		for j := range rung.Policies {
			p := &rung.Policies[j]
			t.line(tier.Tier, prio, p, ladderMarks(t.r, t.l, rung, p))
		}
	}
	if tier.Kind == model.KindANP {
		gap(1 << 30)
	}
	for i := range tier.Policies {
		t.line(tier.Tier, "", &tier.Policies[i], []string{"not compiled yet: not decided here"})
	}
}

// note is a line that is no policy, with its text under MARKS.
func (t *ladderTable) note(tier, what, text string) {
	cells := make([]string, len(t.head))
	cells[0], cells[2], cells[len(cells)-1] = tier, what, text
	t.add(cells...)
}

func (t *ladderTable) line(tier int, prio string, p *model.RungPolicy, marks []string) {
	k := p.Policy.Key
	log := "off"
	if levels, err := p.Policy.LogLevels(); err != nil {
		log = "invalid"
	} else if levels.Any() {
		log = levels.String()
	}
	pods, _ := t.r.SubjectCount(k) // those on a primary UDN are counted by "rung policy"
	cells := []string{strconv.Itoa(tier), prio, k.Name, p.Policy.Subject.String(), p.Ingress.String(), p.Egress.String(),
		strconv.Itoa(pods), strconv.Itoa(t.r.ACLCount(k)), log}
	if !k.Kind.IsAdmin() {
		cells[2] = k.Kind.Short() + " " + k.Namespace + "/" + k.Name
		cells[6], cells[7], cells[8] = "–", "–", "–"
	}
	if n := len(t.r.Zones); n > 0 && k.Kind.IsAdmin() {
		s := t.r.Summary(k, t.now)
		cells = append(cells, fmt.Sprintf("%d/%d", s.InSync, s.Zones), s.Text)
	} else if n > 0 {
		cells = append(cells, "–", "–")
	}
	if t.wide {
		cells = append(cells, p.Policy.Origin.Where())
	}
	t.add(append(cells, strings.Join(marks, ", "))...)
}

func gapRange(g model.Gap) string {
	if g.From == g.To {
		return strconv.Itoa(int(g.From))
	}
	return fmt.Sprintf("%d–%d", g.From, g.To)
}

func brokenName(b model.Broken) string {
	if b.Key.Name != "" {
		return b.Key.Name
	}
	return b.Origin.Where()
}

func ladderMarks(r *engine.Revision, l *model.Ladder, rung *model.Rung, p *model.RungPolicy) []string {
	var marks []string
	if none := r.None(p.Policy.Key); none != nil {
		marks = append(marks, "✗ not enforced: "+engine.NoRowsShort(none, l.Max))
	}
	for _, i := range p.Conflicts {
		c := &l.Conflicts[i]
		other, _, _ := c.Other(p.Policy.Key)
		marks = append(marks, fmt.Sprintf("≠ conflicts with %s %s %d", other.Name, c.Direction.Lower(), c.Rule))
	}
	if rung.Duplicate {
		marks = append(marks, fmt.Sprintf("= %d share %d", len(rung.Policies), rung.Priority))
	}
	return marks
}
