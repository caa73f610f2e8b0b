package view

import (
	"fmt"
	"strings"

	"rung/engine/gate"
	"rung/engine/revision"
	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/themes"
	"rung/ui/widget"
)

// AskLogging lets the levels of a policy be picked; the choice is previewed.
func AskLogging(env *Env, k model.PolicyKey) {
	p := env.Rev.Cluster.Policy(k)
	switch {
	case k.Kind == model.KindNetpolNamespace || p != nil && !k.Kind.IsAdmin():
		env.Ask(namespaceLogs(env, k))
	case p == nil:
		env.Fail("%s is gone", k.Label())
	default:
		env.Ask(newLogging(p))
	}
}

// namespaceLogs explains which annotation sets the levels of a policy without its own.
func namespaceLogs(env *Env, k model.PolicyKey) *Note {
	now := "nothing is logged"
	l := env.Rev.NamespaceLogging(k.Namespace)
	if l.Levels.Any() {
		now = l.Levels.String()
	}
	body := []string{revision.NamespaceLogs(k) + ".", "Now: " + now + "."}
	for _, p := range l.Problems {
		body = append(body, "▲ The annotation is not valid: "+p+".")
	}
	return &Note{Title: "log " + k.Label(), Body: append(body, "It applies to all NetworkPolicies and the EgressFirewall of "+k.Namespace+
		": allow for what their rules allow, deny for the rest. To change it:",
		env.Rev.NamespaceLogsCommand(k.Namespace))}
}

// logging is the question what a policy logs: one row per action.
type logging struct {
	key     model.PolicyKey
	now     model.LogLevels
	broken  string // why the annotation that is there cannot be read
	rows    []logRow
	at      int
	focus   int      // the line of that row in the last drawing
	options []string // "off" and the severities
}

type logRow struct {
	action model.Action
	rules  int
	at     int // index into options
}

func newLogging(p *model.Policy) *logging {
	l := &logging{key: p.Key, options: append([]string{"off"}, model.LogSeverities...)}
	now, err := p.LogLevels()
	if err != nil {
		l.broken = "The present annotation is not valid, so none of its rules log. It will be replaced."
	}
	l.now = now
	in, out := ladder.CountRules(p.Ingress), ladder.CountRules(p.Egress)
	l.rows = []logRow{{action: model.Deny, rules: in.Deny + out.Deny}, {action: model.Allow, rules: in.Allow + out.Allow}}
	if p.Kind == model.KindANP { // a baseline has no Pass
		l.rows = append(l.rows, logRow{action: model.Pass, rules: in.Pass + out.Pass})
	}
	for i := range l.rows {
		l.set(i, now.For(l.rows[i].action))
	}
	for i := range l.rows { // off now: the usual wish is what is offered
		if !now.Any() && l.rows[i].rules > 0 {
			l.set(i, model.LogSeverities[0])
			l.at = i
			break
		}
	}
	return l
}

func (l *logging) set(row int, level string) {
	l.rows[row].at = 0
	for i, o := range l.options {
		if o == level {
			l.rows[row].at = i
		}
	}
}

func (l *logging) all(level string) {
	for i := range l.rows {
		l.set(i, level)
	}
}

// levels are what is picked.
func (l *logging) levels() (out model.LogLevels) {
	for _, r := range l.rows {
		level := l.options[r.at]
		if r.at == 0 {
			level = ""
		}
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

// Key picks: arrows walk, digits set a level, letters set several at once.
func (l *logging) Key(env *Env, key, _ string) bool {
	row := &l.rows[l.at]
	switch key {
	case "esc", "q":
		return true
	case "enter":
		env.Preview(gate.Mutation{Op: gate.OpLogLevel, Policy: l.key, Levels: l.levels()})
		return true
	case "down", "j", "tab", "ctrl+n":
		l.at = (l.at + 1) % len(l.rows)
	case "up", "k", "shift+tab", "ctrl+p":
		l.at = (l.at + len(l.rows) - 1) % len(l.rows)
	case "right", "space":
		row.at = (row.at + 1) % len(l.options)
	case "left":
		row.at = (row.at + len(l.options) - 1) % len(l.options)
	case "a":
		l.all("alert")
	case "n":
		l.all("notice")
	case "o":
		l.all("")
	case "d":
		l.all("")
		l.set(0, "alert")
	default:
		if len(key) == 1 && key[0] >= '0' && int(key[0]-'0') < len(l.options) {
			row.at = int(key[0] - '0')
		}
	}
	return false
}

// Focus is the row under the cursor.
func (l *logging) Focus() int { return l.focus }

// levelsOf are all levels with the one that is picked.
func (l *logging) levelsOf(r logRow, st *themes.Styles) (line widget.Line) {
	for j, o := range l.options {
		if j == r.at {
			line = line.Add("["+o+"]", st.Selection)
		} else {
			line = line.Add(" "+o+" ", st.Dim)
		}
	}
	return line
}

// Paste does nothing.
func (l *logging) Paste(string) {}

// Draw shows one row per action with its levels.
func (l *logging) Draw(st *themes.Styles, w int) (string, []string) {
	var lines []string
	say := func(text string, style themes.Style) {
		for _, s := range widget.Flow(text, w-2) {
			lines = append(lines, widget.Line{{Text: " "}, {Text: s, Style: style}}.Render(w))
		}
	}
	say("What each rule logs when it decides, by its action.", st.Text)
	say("Now: "+l.now.String(), st.Text)
	if l.broken != "" {
		say("▲ "+l.broken, st.Warn)
	}
	lines = append(lines, "")
	for i, r := range l.rows {
		mark, style := " ", st.Text
		if i == l.at {
			mark, style = "▸", st.Title
		}
		if i == l.at {
			l.focus = len(lines)
		}
		head := widget.Styled(mark+fmt.Sprintf("%-6s", r.action), style)
		note := " no rule"
		if r.rules > 0 {
			note = " " + words.Count(r.rules, "rule")
		}
		line := l.levelsOf(r, st)
		if head.Width()+line.Width()+len(note) > w { // the others are under ← and →
			line = widget.Styled("["+l.options[r.at]+"]", st.Selection)
		}
		lines = append(lines, widget.Join(head, line).Add(note, st.Dim).Render(w))
	}
	lines = append(lines, "")
	hints := []string{"up/down action", "left/right or 0–5 level", "a all alert", "n all notice", "d only Deny", "o all off", "enter preview", "esc cancel"}
	line := ""
	for _, h := range hints {
		if line != "" && widget.Width(line)+widget.Width(h)+3 > w-2 {
			say(line, st.Dim)
			line = ""
		}
		line = strings.TrimPrefix(line+"   "+h, "   ")
	}
	say(line, st.Dim)
	return "log " + l.key.Label(), lines
}
