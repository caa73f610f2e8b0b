package lint

import (
	"fmt"

	"rung/model"
	"rung/model/lint/codes"
	"rung/model/template"
	"rung/model/words"
)

// templates reports what sets made from templates miss: policies of tenants that came since,
// and those that are gone.
func (l *linter) templates() {
	for _, set := range template.Sets(l.c) {
		for _, m := range set.Missing(l.c) {
			message := fmt.Sprintf("the set %s, made from the template %s, has lost its policy %s", set.Name, set.Called, m.Policy)
			remedy := "restore " + m.Policy
			if m.Value != "" {
				message = fmt.Sprintf("the tenant %s (%s %s) is newer than the set %s, made from the template %s, and is not isolated: no policy of the set is about it",
					m.Value, words.Form(len(m.Namespaces), "namespace", "namespaces"), words.Few(m.Namespaces, shown), set.Name, set.Called)
				remedy = fmt.Sprintf("add %s, and name %s in the Deny", m.Policy, m.Value)
			}
			l.about(set.Main(), codes.TemplateIncomplete, model.SeverityWarning, message, remedy+": rung new --update "+set.Name)
		}
	}
}
