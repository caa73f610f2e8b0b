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
actions want is reported at start. The keys of a page come first, then the keys of lists, then the keys that work
everywhere. While a line is typed, only the keys under Input hold. In a question: tab and arrows choose, enter answers,
esc is No. A ` + "`*`" + ` marks a change: it needs changes to be allowed.
`)
	b.WriteString(`
## Letters

One letter means one thing on every page. Exceptions:

`)
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
			if len(keys) == 0 {
				keys = []string{"–"}
			}
			change := ""
			if a.Op != "" {
				change = " *"
			}
			fmt.Fprintf(&b, "| %s | `%s`%s | %s |\n", strings.Join(keys, " "), a.ID, change, help)
		}
	}
	return b.String()
}
