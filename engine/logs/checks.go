package logs

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

// CheckState is the state of a step.
type CheckState string

// The states of a step. Noted is somebody's choice, not a fault.
const (
	Fine    CheckState = "ok"
	Wrong   CheckState = "wrong"
	Unknown CheckState = "unknown"
	Noted   CheckState = "note"
)

// Check is one step from a policy to a visible line.
type Check struct {
	Step  string     `json:"step"` // annotation, level, rows, meter, container, console, stream, traffic, order
	State CheckState `json:"state"`
	Text  string     `json:"text"`
	// Remedy says what to do; empty if nothing. Levels means that it sets the policy's own log levels.
	Remedy string `json:"remedy,omitempty"`
	Levels bool   `json:"-"`
}

// Subject is a policy, rule or whole cluster without lines: one of the policy's rules if Dir is set, all
// policies if Policy is empty.
type Subject struct {
	Policy model.PolicyKey
	Dir    model.Direction
	Rule   int
}

// subjectRules returns the policy's rules that the subject covers.
func (a Subject) subjectRules(p *model.Policy) (out []model.Rule) {
	if a.Dir == "" {
		return slices.Concat(p.Ingress, p.Egress)
	}
	if r := p.Rule(a.Dir, a.Rule); r != nil {
		out = append(out, *r)
	}
	return out
}

// checkList collects the steps.
type checkList struct {
	l       *Store
	rev     *revision.Revision
	subject Subject
	out     []Check
}

func (c *checkList) add(step string, state CheckState, format string, args ...any) *Check {
	c.out = append(c.out, Check{Step: step, State: state, Text: fmt.Sprintf(format, args...)})
	return &c.out[len(c.out)-1]
}

// CheckSteps checks in order every step from an annotation to a visible line. It omits steps that do not exist
// in the current mode.
func CheckSteps(l *Store, rev *revision.Revision, about Subject) []Check {
	c := &checkList{l: l, rev: rev, subject: about}
	goOn, step := true, "annotation"
	if !rev.System.HasFeature(system.LogLevels) {
		step = "rules"
	}
	if about.Policy.Kind.IsPolicy() {
		goOn = c.checkPolicy()
	} else if rev.Mode.Name == revision.LogsMode {
		c.add("annotation", Unknown, "No cluster is loaded: which policies log, and the owners of addresses, are unknown. Start "+
			"with -f PATH for pods and policies.")
	} else if names, all := revision.LoggingPolicies(rev); all == 0 && rev.Unread() != nil {
		c.add(step, Unknown, "It is unknown which policies log: %s.", rev.Unread().BriefText())
	} else if len(names) == 0 {
		text := fmt.Sprintf("None of the %s policies logs.", words.Thousands(all))
		switch all {
		case 0:
			text = "There is no policy that can log."
		case 1:
			text = "The only policy does not log."
		}
		c.add(step, Wrong, "%s", text).Remedy = rev.System.HowToLog
	} else {
		c.add(step, Fine, "%s of %s %s: %s. Other policies do not log.", words.Thousands(len(names)), words.Count(all, "policy"),
			words.OneOrMany(len(names), "logs", "log"), words.ListFew(names, 5))
	}
	if !goOn {
		return c.out
	}
	if rev.Mode.Name != revision.LogsMode && rev.System.HasFeature(system.Rows) {
		c.checkMeter()
	}
	nodes, files := NodesAndFiles(l.Streams())
	switch m := rev.Mode; {
	case m.Name == revision.ClusterMode && len(files) == 0 || len(nodes) > 0:
		c.checkStreams(nodes)
	case m.Sandbox || len(files) > 0:
	default:
		c.checkStream(rev.System)
	}
	if len(files) > 0 {
		c.checkFiles(files)
	}
	c.checkTraffic(len(files) > 0)
	return c.out
}

// checkPolicy adds the steps of the policy; false means that no other step matters.
func (c *checkList) checkPolicy() bool {
	k := c.subject.Policy
	p := c.rev.Cluster.Policy(k)
	if p == nil {
		c.add("annotation", Wrong, "%s no longer exists.", k.Label())
		return false
	}
	if s := system.SystemOfKind(k.Kind); s != nil {
		c.ruleByRule(p, s)
		return false
	}
	logging := revision.PolicyLogging(c.rev, p)
	now, ns := logging.Levels, logging.Namespace
	switch {
	case ns != "" && len(logging.Problems) > 0:
		c.add("annotation", Wrong, "The logging annotation of namespace %s is not valid: %s.", ns, strings.Join(logging.Problems, "; ")).
			Remedy = revision.NamespaceLogsCommand(c.rev, ns)
	case len(logging.Problems) > 0:
		c.levelRemedy(p, c.add("annotation", Wrong, "Its logging annotation is not valid, so OVN-Kubernetes does not apply the policy: %s.",
			logging.Problems[0]))
		return false
	case !now.IsOn() && ns != "":
		c.add("annotation", Wrong, "Namespace %s lacks the annotation %s, which sets the logging of %s.", ns, model.AnnotationLogging,
			k.Label()).
			Remedy = revision.NamespaceLogsCommand(c.rev, ns)
		return false
	case !now.IsOn():
		c.levelRemedy(p, c.add("annotation", Wrong, "%s has no log level, so none of its rules logs.", k.Label()))
		return false
	default:
		whose := words.Choose(ns != "", "The annotation of namespace "+ns+" sets ", "Its annotation sets ")
		c.add("annotation", Fine, "%s%s.", whose, now)
	}
	if c.subject.Dir != "" && len(c.subject.subjectRules(p)) == 0 {
		c.add("level", Wrong, "%s no longer exists.", revision.RuleLabel(c.subject.Dir, c.subject.Rule, ""))
		return false
	}
	if k.Kind == model.KindNP {
		c.netpolLevels(p, now)
	} else {
		c.checkActions(p, now, ns)
	}
	c.checkRows(p)
	return true
}

// checkStream tells where the system writes its lines, since none come from there.
func (c *checkList) checkStream(s *system.System) {
	state := Wrong
	if !s.HasFeature(system.Rows) { // Rung follows only OVN's logs
		state = Unknown
	}
	c.add("stream", state, "%s", s.LogsTo).Remedy = s.LogsCommand
}

// ruleByRule tells which rules log, for kinds whose rules each say so.
func (c *checkList) ruleByRule(p *model.Policy, s *system.System) {
	var silent []string
	rules := c.subject.subjectRules(p)
	for i := range rules {
		if !rules[i].Tiered.Logging {
			silent = append(silent, revision.RuleLabel(rules[i].Direction, rules[i].Index, rules[i].Name))
		}
	}
	switch {
	case len(rules) == 0:
		c.add("rules", Wrong, "%s no longer has the rule.", p.Key.Label())
		return
	case len(silent) == len(rules):
		c.add("rules", Wrong, "No rule of %s has enableLogging, so none logs.", p.Key.Label()).Remedy = s.HowToLog
		return
	case len(silent) > 0:
		c.add("rules", Wrong, "Without enableLogging: %s.", words.ListFew(silent, 3)).Remedy = s.HowToLog
	default:
		c.add("rules", Fine, "enableLogging is set.")
	}
	c.checkStream(s)
}

// levelRemedy sets the command for the policy's own levels, for the subject's rules.
func (c *checkList) levelRemedy(p *model.Policy, x *Check) {
	var actions []model.Action
	for _, r := range c.subject.subjectRules(p) {
		actions = append(actions, r.Action)
	}
	if len(actions) == 0 {
		actions = []model.Action{model.Deny, model.Allow}
	}
	x.Levels, x.Remedy = true, revision.LogLevelCommand(c.rev, p, actions...)
}

// checkActions checks the rules' actions. An action that does not log is wrong if only one rule is asked
// about, or if none logs; otherwise it is a note, since the annotation says so.
func (c *checkList) checkActions(p *model.Policy, now model.LogLevels, ns string) {
	rules := c.subject.subjectRules(p)
	wrong := func(format string, args ...any) {
		x := c.add("level", Wrong, format, args...)
		if ns == "" {
			c.levelRemedy(p, x)
		} else {
			x.Remedy = revision.NamespaceLogsCommand(c.rev, ns)
		}
	}
	if len(rules) == 1 && now.ForAction(rules[0].Action) == "" {
		r := &rules[0]
		wrong("%s says %s, and %s is not logged.", revision.RuleLabel(r.Direction, r.Index, ""), r.Action, r.Action)
		return
	}
	logged, count := 0, map[model.Action]int{}
	for i := range rules {
		count[rules[i].Action]++
		if now.ForAction(rules[i].Action) != "" {
			logged++
		}
	}
	switch {
	case logged == len(rules):
		c.add("level", Fine, "%s of it %s.", words.Count(logged, "rule"), words.OneOrMany(logged, "logs", "log"))
	case logged > 0:
		c.add("level", Fine, "%s of its %s %s.", words.Thousands(logged), words.Count(len(rules), "rule"), words.OneOrMany(logged, "logs", "log"))
	}
	for _, a := range []model.Action{model.Deny, model.Allow, model.Pass} {
		switch level := now.ForAction(a); {
		case count[a] > 0 && level == "" && logged > 0:
			c.add("level", Noted, "%s rules do not log: no level is set for them.", a)
		case count[a] > 0 && level == "":
			wrong("%s rules do not log.", a)
		case count[a] == 0 && level != "" && len(rules) == len(p.Ingress)+len(p.Egress):
			c.add("level", Unknown, "%s is set to %s, but it has no %s rule.", a, level, a)
		}
	}
}

// netpolLevels checks a NetworkPolicy's levels: its rules log what they allow, the default deny of its
// namespace logs the rest (ovn-kubernetes.md#namespace-logging).
func (c *checkList) netpolLevels(p *model.Policy, now model.LogLevels) {
	if now.Allow == "" {
		x := c.add("level", Noted, "Namespace %s sets no level for allow: connections its NetworkPolicies allow are not logged.",
			p.Namespace)
		if c.subject.Dir != "" { // its rules only allow
			x.State, x.Remedy = Wrong, revision.NamespaceLogsCommand(c.rev, p.Namespace)
		}
	}
	switch {
	case now.Deny == "":
		c.add("level", Noted, "Namespace %s sets no level for deny: connections no NetworkPolicy allows are not logged.", p.Namespace)
	case !p.IsolatesIngress && !p.IsolatesEgress:
		c.add("level", Unknown, "It isolates no pods, so it causes no default deny.")
	case now.Allow != "":
		c.add("level", Fine, "Connections it allows are logged, and connections no NetworkPolicy allows.")
	}
}

// checkTraffic tells whether lines come, and for what; stored lines predate Rung's start.
func (c *checkList) checkTraffic(stored bool) {
	if k := c.subject.Policy; k.Kind.IsPolicy() {
		if p := c.rev.Cluster.Policy(k); p != nil {
			if u := c.l.HitSummary(c.rev.Mode.Simulated || c.rev.Mode.Packets).OfPolicy(p); u.Count > 0 {
				from, last := "", u.Last.UTC().Format("15:04:05")
				if begin := c.l.CountedSince(); !u.Last.Before(begin) {
					from = " since " + begin.UTC().Format("15:04:05")
				} else {
					last = u.Last.UTC().Format("2006-01-02 15:04:05")
				}
				c.add("traffic", Fine, "%s%s, the last at %s.", words.Count(u.Count, "line"), from, last)
				return
			}
		}
	}
	switch m := c.rev.Mode; {
	case m.Simulated:
		c.add("traffic", Unknown, "Traffic is simulated: connections between running pods, at a fixed rate.")
	case m.Packets:
		text, _ := m.TrafficTexts()
		c.add("traffic", Unknown, "Traffic: %s: connections between running pods, at a fixed rate, once a zone's rows are flows.", text)
	case stored:
		if c.subject.Policy.Kind.IsPolicy() {
			c.add("traffic", Unknown, "No line of it in the log files: it may not have logged then, or decided no new connection.")
		}
	case m.Sandbox:
		c.add("traffic", Wrong, "The sandbox makes no traffic, so there is nothing to log.").Remedy = "start it with --traffic 20"
	case c.subject.Policy.Kind.IsPolicy():
		c.add("traffic", Unknown, "No line so far: perhaps it decided no new connection.").Remedy = "rung trace shows what decides " +
			"a connection"
	}
}

// TextLine returns the check as a line of text: "✗ level Deny rules do not log. …".
func (x Check) TextLine() string {
	text := fmt.Sprintf("%s %-10s  %s", x.State.Sign(), x.Step, x.Text)
	if x.Remedy != "" {
		text += " → " + x.Remedy
	}
	return text
}

// Sign returns ✓, ✗, · or ?.
func (s CheckState) Sign() string {
	return map[CheckState]string{Fine: words.Yes, Wrong: words.No, Noted: words.Noted, Unknown: words.Unknown}[s]
}
