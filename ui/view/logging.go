package view

import (
	"slices"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/model/ladder"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
)

// AskLogging asks what to log, at which level and for how long, for policies and namespaces, and previews the
// choice. A NetworkPolicy or an EgressFirewall stands for its namespace, whose annotation sets its logging.
func AskLogging(env *Env, keys ...model.Key) {
	var all []*model.Policy
	for _, k := range keys {
		target := model.LoggedBy(k)
		if why := env.Rev.System.WhyNotLogged(target.Kind); why != "" && revision.FindLogSession(env.Rev, target) == nil {
			env.ShowFailure("%s", why)
			return
		}
		p := env.Rev.Cluster.Changeable(target)
		if k.Kind.IsPolicy() && env.Rev.Cluster.Policy(k) == nil {
			p = nil
		}
		if p == nil {
			env.ShowFailure("%s is gone", k.Label())
			return
		}
		all = append(all, p)
	}
	env.AskDialog(newLogging(env, all))
}

// loggingDialog asks what to log: one row per action, and one for the time.
type loggingDialog struct {
	keys      []model.Key
	levelsNow model.LogLevels
	broken    string               // what is wrong with the present annotation
	session   *revision.LogSession // session of one of the objects; sessions counts the objects that have one
	sessions  int
	clock     time.Time
	rows      []logRow
	times     []sessionTime
	lasts     int // index into times
	rowAt     int // selected row; len(rows) is the time
	focus     int // line of that row in the last drawing
	options   []string
	byRule    bool // logging is set rule by rule: on, off or unchanged
}

type logRow struct {
	action   model.Action
	note     string
	isUsed   bool // some rule has the action
	optionAt int  // index into options
}

// sessionTime is how long logging stays on.
type sessionTime struct {
	name    string
	session bool
	lasts   time.Duration // 0: until switched off
}

var sessionTimes = []sessionTime{{"5 min", true, 5 * time.Minute}, {"15 min", true, gate.DefaultSession}, {"1 h", true, time.Hour},
	{"8 h", true, 8 * time.Hour}, {"until I end it", true, 0}, {"permanently", false, 0}}

func newLogging(env *Env, all []*model.Policy) *loggingDialog {
	l := &loggingDialog{options: append([]string{"off"}, model.LogSeverities...), clock: env.Now, times: sessionTimes}
	l.lasts = slices.IndexFunc(l.times, func(t sessionTime) bool { return t.session && t.lasts == gate.DefaultSession })
	var rules ladder.RuleCount
	pass, counted := true, true
	for _, p := range all {
		l.byRule = l.byRule || p.Tiered != nil
		l.keys = append(l.keys, p.Key)
		if s := revision.FindLogSession(env.Rev, p.Key); s != nil {
			l.session, l.sessions = s, l.sessions+1
		}
		in, out := ladder.CountRules(p.Ingress), ladder.CountRules(p.Egress)
		rules.Deny, rules.Allow, rules.Pass = rules.Deny+in.Deny+out.Deny, rules.Allow+in.Allow+out.Allow, rules.Pass+in.Pass+out.Pass
		pass = pass && p.Kind.CanMove() // baselines and namespaces have no Pass
		counted = counted && (p.Kind.IsAdmin() || p.Tiered != nil)
	}
	if l.byRule {
		l.options = []string{logline.Keep, logline.On, logline.Off}
	}
	if counted {
		l.addAction(model.Deny, rules.Deny)
		l.addAction(model.Allow, rules.Allow)
	} else {
		l.rows = []logRow{{action: model.Deny, note: "traffic no rule allows", isUsed: true}, {action: model.Allow, note: "traffic rules allow",
			isUsed: true}}
	}
	if pass {
		l.addAction(model.Pass, rules.Pass)
	}
	if len(all) == 1 {
		l.readPresent(env, all[0])
	}
	for i := range l.rows {
		if !l.byRule { // rules stay as they are
			l.setLevel(i, l.levelsNow.ForAction(l.rows[i].action))
		}
	}
	for i := range l.rows { // nothing logs now: offer the usual wish
		if (l.byRule || !l.levelsNow.IsOn()) && l.rows[i].isUsed && l.levelsNow.ForAction(l.rows[i].action) != logline.On {
			l.setLevel(i, l.fullLogging())
			l.rowAt = i
			break
		}
	}
	return l
}

// readPresent reads the present log levels of an object.
func (l *loggingDialog) readPresent(env *Env, p *model.Policy) {
	if p.Kind == model.KindNamespace {
		logs := revision.NamespaceLogging(env.Rev, p.Name)
		l.levelsNow = logs.Levels
		if len(logs.Problems) > 0 {
			l.broken = "Invalid annotation: " + logs.Problems[0] + ". It will be replaced."
		}
		return
	}
	if p.Tiered != nil {
		l.levelsNow = logline.LoggingByAction(p)
		return
	}
	now, err := p.LogLevels()
	if err != nil {
		l.broken = "Invalid annotation: no rule logs. It will be replaced."
	}
	l.levelsNow = now
}

func (l *loggingDialog) addAction(a model.Action, rules int) {
	r := logRow{action: a, note: "no rule", isUsed: rules > 0}
	if r.isUsed {
		r.note = words.Count(rules, "rule")
	}
	l.rows = append(l.rows, r)
}

func (l *loggingDialog) setLevel(row int, level string) {
	l.rows[row].optionAt = max(0, slices.Index(l.options, level))
}

func (l *loggingDialog) setAllLevels(level string) {
	for i := range l.rows {
		l.setLevel(i, level)
	}
}

// fullLogging returns the option that logs most.
func (l *loggingDialog) fullLogging() string { return l.options[1] }

// off returns the option that logs nothing.
func (l *loggingDialog) off() string { return words.Choose(l.byRule, logline.Off, "") }

// pickedLevels returns the chosen levels.
func (l *loggingDialog) pickedLevels() (out model.LogLevels) {
	for _, r := range l.rows {
		level := words.Choose(r.optionAt == 0 && !l.byRule, "", l.options[r.optionAt])
		switch r.action {
		case model.Deny:
			out.Deny = level
		case model.Allow:
			out.Allow = level
		case model.Pass:
			out.Pass = level
		}
	}
	return out
}

// pickedMutation returns the chosen change: a session, permanent levels, or the end of a session.
func (l *loggingDialog) pickedMutation() change.Mutation {
	levels, t := l.pickedLevels(), l.times[l.lasts]
	on := levels.IsOn()
	if l.byRule {
		on = slices.Contains([]string{levels.Deny, levels.Allow, levels.Pass}, logline.On)
	}
	if !on && l.session != nil {
		return l.endSession()
	}
	return l.describeChange(change.Mutation{Op: change.OpLogLevel, Levels: levels, Session: t.session && on, SessionTime: t.lasts})
}

func (l *loggingDialog) endSession() change.Mutation {
	return l.describeChange(change.Mutation{Op: change.OpLogEnd})
}

func (l *loggingDialog) describeChange(m change.Mutation) change.Mutation {
	m.Policies = l.keys
	if len(l.keys) == 1 {
		m.Policy, m.Policies = l.keys[0], nil
	}
	return m
}

// PressKey moves with arrows, sets a level by digit, and several by letter.
func (l *loggingDialog) PressKey(env *Env, key, _ string) bool {
	rows := len(l.rows) + 1
	switch key {
	case "esc", "q":
		return true
	case "enter":
		env.PreviewChange(l.pickedMutation())
		return true
	case "down", "j", "tab", "ctrl+n":
		l.rowAt = (l.rowAt + 1) % rows
	case "up", "k", "shift+tab", "ctrl+p":
		l.rowAt = (l.rowAt + rows - 1) % rows
	case "right", "space":
		l.stepBy(1)
	case "left":
		l.stepBy(-1)
	case "a":
		l.setAllLevels(l.fullLogging())
	case "n":
		l.setAllLevels("notice")
	case "o":
		l.setAllLevels(l.off())
	case "d":
		l.setAllLevels(l.off())
		l.setLevel(0, l.fullLogging())
	case "e":
		if l.session != nil {
			env.PreviewChange(l.endSession())
			return true
		}
	default:
		if len(key) == 1 && key[0] >= '0' && l.rowAt < len(l.rows) && int(key[0]-'0') < len(l.options) {
			l.rows[l.rowAt].optionAt = int(key[0] - '0')
		}
	}
	return false
}

// stepBy moves by d among the levels, or the times.
func (l *loggingDialog) stepBy(d int) {
	if l.rowAt == len(l.rows) {
		l.lasts = (l.lasts + d + len(l.times)) % len(l.times)
		return
	}
	r := &l.rows[l.rowAt]
	r.optionAt = (r.optionAt + d + len(l.options)) % len(l.options)
}
