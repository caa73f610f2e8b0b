package lint

import (
	"errors"
	"fmt"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/words"
)

// WithVerdicts extends the findings of Run with findings from verdicts of the same cluster. Where possible,
// each gets a connection that shows it. rulesAudit and failed are the results of audit.New for v. A cluster
// too large for an audit is a finding too.
func WithVerdicts(c *model.Cluster, x *selectors.PodIndex, found []model.Finding, v *verdict.Index, rulesAudit *verdict.Audit,
	failed error) []model.Finding {
	l := &linter{c: c, x: x, out: slices.Clone(found)}
	if errors.Is(failed, verdict.ErrTooLarge) {
		l.addFinding(VerdictsTooLarge, model.Finding{Rule: -1,
			Message: "findings that need the verdict of every connection were not computed: " + failed.Error()})
	}
	if rulesAudit != nil {
		d := &verdictLint{linter: l, needs: &needLint{linter: l, services: FindVitalServices(c, x)}, v: v,
			rules: map[ruleAt]*verdict.AuditedRule{}}
		d.checkAudit(rulesAudit)
	} else if failed != nil {
		l.addClusterWideUncounted(v)
	}
	return SortFindings(c, l.out)
}

// NewAuditQuestions returns the extra questions that WithVerdicts needs answered in an Audit.
func NewAuditQuestions(c *model.Cluster, x *selectors.PodIndex) verdict.AuditQuestions {
	v := FindVitalServices(c, x)
	wide := map[*model.Rule]bool{}
	return verdict.AuditQuestions{DNS: v.DNS, Ports: [2]uint16{uint16(v.DNSPorts["UDP"]), uint16(v.DNSPorts["TCP"])},
		Wide: func(p *model.Policy, r *model.Rule) bool {
			is, known := wide[r]
			if !known {
				is = isClusterWide(x, p, r)
				wide[r] = is
			}
			return is
		}}
}

// SortFindings sorts findings of a cluster in place. Findings caused by a root finding follow it.
func SortFindings(c *model.Cluster, found []model.Finding) []model.Finding {
	l := &linter{order: map[model.PolicyKey]int{}}
	for _, p := range slices.SortedFunc(c.AllPolicies(), ladder.ComparePolicies) {
		l.order[p.Key] = len(l.order)
	}
	slices.SortStableFunc(found, l.compareFindings)
	return sortUnderRoots(found)
}

// IsFromVerdicts reports whether findings with a code come from WithVerdicts.
func IsFromVerdicts(code string) bool {
	k := KindOfCode(code)
	return k != nil && k.Verdicts
}

// ruleAt identifies a rule.
type ruleAt struct {
	policy    model.Key
	direction model.Direction
	rule      int
}

// verdictLint makes findings from an Audit.
type verdictLint struct {
	*linter
	needs  *needLint
	v      *verdict.Index
	rules  map[ruleAt]*verdict.AuditedRule
	causes []causedFinding // findings caused by another rule
	tied   map[int]int     // number of enforced policies by tieKey
}

func (d *verdictLint) checkAudit(audit *verdict.Audit) {
	for i := range audit.Rules {
		r := &audit.Rules[i]
		d.rules[ruleAt{r.Policy, r.Direction, r.Rule}] = r
	}
	d.tied = map[int]int{}
	none := d.v.Options().NoRows
	for p := range d.c.AllPolicies() {
		if p.Kind.HasPriority() && (p.Kind == model.KindANP || none[p.Key] == nil) {
			d.tied[tieKey(p)]++
		}
	}
	shadowed := map[ruleAt]bool{}
	for i := range d.out {
		f := &d.out[i]
		d.addShowingConnection(f, audit)
		if f.Code == RuleShadowed.Code {
			shadowed[ruleAt{f.Policy, f.Direction, f.Rule}] = true
		}
	}
	d.checkDNSCuts(audit)
	d.checkAPICuts()
	d.checkWebhooks()
	idle := map[model.Key]bool{}
	for i := range audit.Allowing {
		if a := &audit.Allowing[i]; a.Decides && !a.Matters {
			idle[a.Policy] = true
			p := d.c.Policy(a.Policy)
			d.addAbout(p, AllowChangesNothing, "only allows connections that are allowed anyway: unlike a NetworkPolicy it denies nothing by itself")
			d.addWitness(&a.Example)
		}
	}
	outside := map[model.Key]bool{}
	for i := range audit.Rules {
		r := &audit.Rules[i]
		p := d.c.Policy(r.Policy)
		rule := p.Rule(r.Direction, r.Rule)
		switch {
		case r.Matches && !r.Decides:
			if !shadowed[ruleAt{r.Policy, r.Direction, r.Rule}] {
				d.checkNeverDeciding(p, rule, r)
			}
		case r.Decides && r.Action == model.Pass:
			d.checkPass(p, rule, r)
		case r.Decides && !r.Matters && !idle[p.Key]:
			d.checkRedundant(p, rule, r)
		}
		d.checkOverridden(p, rule, r)
		if r.Outside != nil && !outside[p.Key] {
			outside[p.Key] = true
			d.addAboutRule(p, rule, DenyLeavesOutside, "denies every pod, but not nodes and sources outside the cluster")
			d.addWitness(r.Outside)
		}
	}
	d.checkClusterWide(audit)
	d.groupUnderRoots()
}

// addWitness sets the connection of the last finding.
func (d *verdictLint) addWitness(q *verdict.Connection) {
	d.out[len(d.out)-1].Witness = d.findWitness(*q)
}

// findWitness returns a connection with its verdict; empty if there is no answer.
func (d *verdictLint) findWitness(q verdict.Connection) (w model.Witness) {
	a, err := verdict.FromPolicies(d.v, q)
	if err != nil || len(a.Paths) == 0 {
		return w
	}
	return model.Witness{From: endText(q.From), To: endText(q.To), Protocol: string(q.Protocol), Port: q.Port, Family: uint8(q.Family),
		Verdict: string(a.Verdict), By: deciderText(&a)}
}

func endText(e verdict.Endpoint) string {
	switch {
	case e.Key.Name == "":
		return e.Addr.String()
	case e.Key.Kind == model.KindNode:
		return "node/" + e.Key.Name
	case e.Key.Kind == model.KindService:
		return "service/" + e.Key.Namespace + "/" + e.Key.Name
	}
	return e.Key.Namespace + "/" + e.Key.Name
}

// deciderText names the rules of the stage that settles the verdict; empty if nothing matches.
func deciderText(a *verdict.Answer) string {
	var by []verdict.Decider
	for s := range a.Stages() {
		if s.Decided != nil && s.Verdict == a.Verdict {
			by = []verdict.Decider{*s.Decided}
			if len(s.Candidates) > 1 {
				by = s.Candidates
			}
			break
		}
	}
	return deciderNames(by, nil)
}

// deciderNames lists rules without duplicates, omitting the policy's name for rules of own.
func deciderNames(by []verdict.Decider, own *model.Policy) string {
	var names []string
	for i := range by {
		names = model.AppendNew(names, deciderName(&by[i], own))
	}
	return words.ListSome(names, shown)
}

func deciderName(b *verdict.Decider, own *model.Policy) string {
	if b.Rule < 0 {
		return b.Policy.Label()
	}
	text := fmt.Sprintf("%s %d", b.Direction.Lower(), b.Rule)
	if own == nil || b.Policy != own.Key {
		text = b.Policy.Label() + " " + text
	}
	if own != nil {
		text += " (" + string(b.Action) + ")"
	}
	return text
}

// checkNeverDeciding reports a rule that matches connections but decides none.
func (d *verdictLint) checkNeverDeciding(p *model.Policy, r *model.Rule, a *verdict.AuditedRule) {
	severity := model.SeverityInfo
	same := true
	for i := range a.DecidersBefore {
		b := &a.DecidersBefore[i]
		same = same && b.Policy == p.Key
		if b.Action != r.Action {
			severity = model.SeverityWarning
		}
	}
	remedy := "remove it, or change the rules that decide first"
	if same && p.Kind != model.KindNP {
		remedy = "move it up, or remove it"
	}
	by := deciderNames(a.DecidersBefore, p)
	at := len(d.out)
	f := d.addAboutRule(p, r, RuleNeverDecides, fmt.Sprintf("never applies: %s %s everything this %s matches now",
		by, words.OneOrMany(len(a.DecidersBefore), "decides", "decide"), r.Action))
	f.Severity, f.Remedy, f.Fix = severity, remedy, d.moveAbove(p, a.DecidersBefore)
	d.addWitness(&a.Example)
	if len(a.DecidersBefore) > 0 && a.DecidersBefore[0].Rule >= 0 {
		d.causes = append(d.causes, causedFinding{at, ruleAt{a.DecidersBefore[0].Policy, a.DecidersBefore[0].Direction,
			a.DecidersBefore[0].Rule}})
	}
}

// moveAbove returns the move of a policy above the only AdminNetworkPolicy that decides before its rule.
func (d *verdictLint) moveAbove(p *model.Policy, before []verdict.Decider) model.Fix {
	if len(before) == 0 || p.Kind != model.KindANP || before[0].Policy.Kind != model.KindANP || slices.ContainsFunc(before,
		func(b verdict.Decider) bool { return b.Policy != before[0].Policy }) {
		return model.Fix{}
	}
	used := map[int32]bool{}
	for q := range d.c.AllPolicies() {
		used[q.Priority] = used[q.Priority] || q.Tier == p.Tier && q.Kind.HasPriority()
	}
	above := d.c.Policy(before[0].Policy)
	to := above.Priority - 1
	for to >= 0 && used[to] {
		to--
	}
	if to < 0 || above.Priority >= p.Priority {
		return model.Fix{}
	}
	return model.Fix{Text: fmt.Sprintf("move to %d, above %s", to, above.Name), Priority: to}
}

// pairsWithOthers reports whether removing a rule would change how rules of other policies pair up.
func (d *verdictLint) pairsWithOthers(p *model.Policy, dir model.Direction) bool {
	return p.Kind.HasPriority() && d.tied[tieKey(p)] > 1 || p.Kind.IsAdmin() && len(p.Rules(dir)) > maxRules
}

// tieKey returns the same number for policies of one tier and priority.
func tieKey(p *model.Policy) int { return ladder.RowPriority(p, 0)*4 + p.Tier }

// checkRedundant reports a rule whose removal changes no verdict in its tier. A rule that guards against lower
// tiers is not redundant.
func (d *verdictLint) checkRedundant(p *model.Policy, r *model.Rule, a *verdict.AuditedRule) {
	if d.pairsWithOthers(p, r.Direction) || a.Undecided && (p.Tier != model.TierBaseline || r.Action != model.Allow) ||
		slices.ContainsFunc(a.DecidersWithout, func(b verdict.Decider) bool { return b.Tier != p.Tier || b.Action != r.Action }) {
		return
	}
	so := "without it nothing denies its connections"
	if len(a.DecidersWithout) > 0 {
		so = "without it " + deciderNames(a.DecidersWithout, p) + " " + words.OneOrMany(len(a.DecidersWithout), "decides", "decide") + " the same"
		if a.Undecided {
			so += ", and the rest is allowed"
		}
	}
	d.addAboutRule(p, r, RuleRedundant, "removing it changes no verdict: "+so)
	d.addWitness(&a.Example)
}

// checkPass reports a Pass whose connections no lower tier decides.
func (d *verdictLint) checkPass(p *model.Policy, r *model.Rule, a *verdict.AuditedRule) {
	if a.DecidedBelow || a.Through == nil {
		return
	}
	severity, so := model.SeverityInfo, ""
	if a.Matters {
		severity, so = model.SeverityWarning, "; without the Pass some of it would be denied"
	}
	d.addAboutRule(p, r, PassNothing, "no NetworkPolicy or baseline rule decides what it passes: it is allowed"+so).Severity = severity
	d.addWitness(a.Through)
}

// checkOverridden reports an Allow that overrides NetworkPolicies, and a Deny that overrides a lower Allow.
func (d *verdictLint) checkOverridden(p *model.Policy, r *model.Rule, a *verdict.AuditedRule) {
	switch {
	case a.Overruled == nil || !p.Kind.IsAdmin():
		return
	case r.Action == model.Allow:
		d.addAboutRule(p, r, AllowOverNetpol, fmt.Sprintf("overrides NetworkPolicies that would deny some of it: %s",
			deciderNames(a.Overruled.Deciders, nil)))
	default:
		d.addAboutRule(p, r, DenyOverAllow, fmt.Sprintf("denies what %s would allow: neither NetworkPolicy nor EgressFirewall overrides it",
			deciderNames(a.Overruled.Deciders, nil)))
	}
	d.addWitness(&a.Overruled.Connection)
}

// addShowingConnection adds to a finding of Run a connection that shows it. Without one, because rules above decide all,
// the finding becomes a note.
func (d *verdictLint) addShowingConnection(f *model.Finding, rulesAudit *verdict.Audit) {
	r := d.rules[ruleAt{f.Policy, f.Direction, f.Rule}]
	if r == nil {
		return
	}
	switch f.Code {
	case RuleShadowed.Code:
		if r.Matches {
			f.Witness = d.findWitness(r.Example)
		}
	case DenyAllNetworks.Code, EmptySelectorDeny.Code, NetworkHostBits.Code, NetpolNamedPort.Code, NetpolDirection.Code, SelectsSystem.Code:
		if r.Decides {
			f.Witness = d.findWitness(r.Example)
		}
	case PriorityConflict.Code:
		switch i := slices.IndexFunc(r.Clashes, func(c verdict.RuleClash) bool { return IsConflictWith(f, c.Policy) }); {
		case i < 0:
			f.Severity = model.SeverityInfo
			f.Message += "; currently masked by earlier rules"
		default:
			f.Witness = d.findWitness(r.Clashes[i].Connection)
			if !r.Clashes[i].Undefined {
				f.Message += "; the other end denies these connections now"
			}
		}
	case FirewallOverrules.Code:
		if r.Overruled != nil {
			f.Witness = d.findWitness(r.Overruled.Connection)
		}
	case DNSNotAllowed.Code, DNSTCPNotAllowed.Code:
		if d.needs.services.DNSPods.IsEmpty() {
			return
		}
		cut := r.DNSCuts[verdict.CutUDP]
		if f.Code == DNSTCPNotAllowed.Code {
			cut = r.DNSCuts[verdict.CutTCP]
		}
		if cut.Example == nil {
			f.Severity = model.SeverityInfo
			f.Message += "; no query matches it now"
			return
		}
		f.Witness = d.findWitness(*cut.Example)
	}
}
