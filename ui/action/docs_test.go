package action

import (
	"fmt"
	"strings"
)

// markdown is docs/keys.md: every action by scope, with its id for the
// configuration file.
func markdown() string {
	var b strings.Builder
	b.WriteString(`# Keys

Made from the table of actions in ui/action by ` + "`go generate ./ui/action`" + `; do not edit by hand.

Every action can have other keys: ` + "`keys: {ladder.new: [n, ctrl+n]}`" + ` in the configuration file. A key that two
actions want is reported at start and never fatal. The keys of a page go before those of lists, and those before the
ones that hold everywhere. While a line is typed, only the keys under Input hold, and enter accepts, esc leaves. In a
question: tab and arrows choose, space takes what is offered beside, enter answers, esc is No.
`)
	b.WriteString(`
## Letters

One letter means one thing on every page. Keys that walk, open and leave (arrows, enter, tab, space, esc) are left out
here, and so are those under Input: while a line is typed, letters are typed. In a question y is yes, n is no, and a
letter before an answer chooses it.

| key | meaning | where |
|---|---|---|
`)
	for _, l := range letters() {
		for _, m := range l.means {
			where := make([]string, len(m.where))
			for i, s := range m.where {
				where[i] = string(s)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", l.key, m.what, strings.Join(where, ", "))
		}
	}
	b.WriteString("\nExceptions:\n\n")
	for _, l := range letters() {
		if why := doubles[l.key]; why != "" {
			fmt.Fprintf(&b, "- `%s`: %s.\n", l.key, why)
		}
	}
	for _, g := range scopeGroups() {
		fmt.Fprintf(&b, "\n## %s\n\n| key | action | what it does |\n|---|---|---|\n", strings.ToUpper(string(g.scope[:1]))+string(g.scope[1:]))
		for _, a := range g.actions {
			keys := make([]string, len(a.Keys))
			for i, k := range a.Keys {
				keys[i] = "`" + strings.ReplaceAll(k, "|", `\|`) + "`"
			}
			help := strings.ReplaceAll(a.Help, "|", `\|`)
			if a.Op != "" {
				help += " (a change: needs changes to be allowed)"
			}
			if len(keys) == 0 {
				keys = []string{"–"}
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", strings.Join(keys, " "), a.ID, help)
		}
	}
	return b.String()
}
