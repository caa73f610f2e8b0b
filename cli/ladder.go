package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/model/ladder"
	"rung/revision"
	"rung/revision/liverows"
	"rung/revision/omitted"
	"rung/revision/policies"
)

func (a *app) ladderCmd() *cobra.Command {
	var stage *model.Stage
	cmd := a.shows(&cobra.Command{
		Use:   "ladder",
		Short: "Show every policy in order of precedence, with gaps and conflicts",
		Long: `Show every policy in order of precedence: tier 1 by priority, where the lower number
comes first; tier 2 by kind and namespace, with OVN's priorities, where the higher
number comes first. --stage shows one stage of the pipeline alone, in its true order.

Where Antrea's precedence holds (--system), its tiers stand in order, with the
NetworkPolicies before the baseline; -o antctl prints the columns of antctl get
networkpolicy --sort-by=effectivePriority.

With --nb it also shows how many zones are in sync with each policy, and the rows no
policy stands for: those of tier 0, and those Rung does not compile.`,
		Example: `  rung ladder -f policies/
  rung ladder -f policies/ --stage to-lport -o wide
  rung ladder --context staging -o json
  rung ladder -f policies/ --system antrea -o antctl`,
		Args: takes(0),
	}, func([]string, bool) query {
		return query{zones: len(a.flags.nb) > 0, answer: func(e *engine.Engine, r *revision.Revision) (*answer, error) {
			if r.Antrea() {
				return bandsAnswer(r, *stage)
			}
			if a.flags.output == antctlForm {
				return nil, fmt.Errorf("-o %s is the order of Antrea's policies, and OVN-Kubernetes' precedence holds here (%s); see --system", antctlForm, r.SystemWhy)
			}
			return ladderAnswer(e, r, *stage)
		}}
	})
	cmd.Annotations = map[string]string{antctlForm: ""}
	stage = stageFlag(cmd, "only one `stage` of the pipeline")
	return cmd
}

func ladderAnswer(e *engine.Engine, r *revision.Revision, stage model.Stage) (*answer, error) {
	l := r.Ladder().In(stage)
	ans := &answer{value: describeLadder(l), text: func(wide bool) string { return ladderText(r, l, e.Now(), wide) }}
	ans.notConsidered = omitted.Objects(r)
	if len(r.Zones) > 0 {
		ans.notConsidered = append(ans.notConsidered, omitted.Zones(r)...)
		ans.value = ladderLiveOut{describeLadder(l), describeStates(r, l, e.Now()), describeRowGroups(r, stage)}
	}
	return ans, nil
}

// ladderTable draws the ladder line by line.
type ladderTable struct {
	*tableOut
	r    *revision.Revision
	l    *ladder.Ladder
	now  time.Time
	wide bool
}

func ladderText(r *revision.Revision, l *ladder.Ladder, now time.Time, wide bool) string {
	head := []string{"TIER", "PRIO", "POLICY", "SUBJECT", "INGRESS", "EGRESS", "PODS", "ACLS", "LOG"}
	t := &ladderTable{tableOut: &tableOut{head: head}, r: r, l: l, now: now, wide: wide}
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

func (t *ladderTable) tier(tier *ladder.Tier) {
	if tier.Tier == model.TierNetwork {
		t.tier2(tier)
		return
	}
	live := t.rowsOf(tier.Tier)
	gaps := tier.Gaps
	if t.l.Stage != "" {
		gaps = nil // a free priority is one in all stages
	}
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
		}
		if rung.Policies[0].Policy.Kind.Ranked() {
			prio = strconv.Itoa(int(rung.Priority))
		}
		live.above(tier.Top(rung))
		for j := range rung.Policies {
			p := &rung.Policies[j]
			t.policy(tier.Tier, prio, p, ladderMarks(t.r, t.l, rung, p))
		}
	}
	if tier.Kind == model.KindANP {
		gap(1 << 30)
	}
	live.above(-1)
}

// note is a line that is no policy, with its text under MARKS.
func (t *ladderTable) note(tier, what, text string) {
	cells := make([]string, len(t.head))
	cells[0], cells[2], cells[len(cells)-1] = tier, what, text
	t.add(cells...)
}

// ladderLine is a line of a policy or unit: tier, priority, name, subject and rules,
// what it logs, and the file it is in.
type ladderLine struct {
	tier                                             int
	prio, name, subject, ingress, egress, log, where string
	key                                              model.Key
	stage                                            model.Stage // the one the line is about, "" for all
	marks                                            []string
}

// ladderName is a policy's name, with the kind where it is not the one its tier is named for.
func ladderName(p *model.Policy) string {
	if p.Kind == model.KindCNP {
		return p.Label()
	}
	return p.Name
}

func (t *ladderTable) policy(tier int, prio string, p *ladder.RungPolicy, marks []string) {
	log := "off"
	if levels, err := p.Policy.LogLevels(); err != nil {
		log = "invalid"
	} else if levels.Any() {
		log = levels.String()
	}
	ingress, egress := p.Ingress.String(), p.Egress.String()
	switch t.l.Stage {
	case model.StageToLport:
		egress = "–"
	case model.StageAfterLB:
		ingress = "–"
	}
	t.line(&ladderLine{tier: tier, prio: prio, name: ladderName(p.Policy), subject: p.Policy.Subject.String(), ingress: ingress,
		egress: egress,
		log:    log, where: p.Policy.Origin.Where(), key: p.Policy.Key, stage: t.l.Stage, marks: marks})
}

// line adds what a policy or unit compiles to, and how it stands.
func (t *ladderTable) line(l *ladderLine) {
	k, marks := l.key, l.marks
	pods, acls, zones, state := "–", "–", "–", "not compiled"
	if k.Kind == model.KindIsolation2016 {
		state = revision.NoRowsOf2016
	}
	if t.r.Compiled(k) {
		acls = strconv.Itoa(liverows.StageACLCount(t.r, k, l.stage))
		if k.Namespace != "" || k.Kind.IsAdmin() {
			pods = strconv.Itoa(policies.CountSubjects(t.r, k).Pods) // "rung policy" tells of those apart
		}
		s := policies.Summarize(t.r, k, t.now)
		zones, state = s.Short(), s.Text
	} else if len(t.r.Zones) == 0 {
		marks = append(marks, state)
	}
	cells := []string{strconv.Itoa(l.tier), l.prio, l.name, l.subject, l.ingress, l.egress, pods, acls, l.log}
	if len(t.r.Zones) > 0 {
		cells = append(cells, zones, state)
	}
	if t.wide {
		cells = append(cells, l.where)
	}
	t.add(append(cells, strings.Join(marks, ", "))...)
}

func gapRange(g ladder.Gap) string {
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

func ladderMarks(r *revision.Revision, l *ladder.Ladder, rung *ladder.Rung, p *ladder.RungPolicy) []string {
	var marks []string
	if none := r.None(p.Policy.Key); none != nil {
		marks = append(marks, "✗ not enforced: "+policies.NoRowsShort(r, none))
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
