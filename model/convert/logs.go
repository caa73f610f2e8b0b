package convert

import (
	"rung/model"
)

// logging says by annotation which policies that were made log: those actions of which all
// rules do. Where only some do, none does, and a note says so.
func (f *importer) logging(ties []tie) {
	type counts map[model.Action][2]int
	logs := map[model.PolicyKey]counts{}
	of := map[model.PolicyKey]*model.Policy{}
	for i := range ties {
		for _, s := range ties[i].sayings {
			for _, to := range s.to {
				c := logs[to.Policy]
				if c == nil {
					c = counts{}
					logs[to.Policy], of[to.Policy] = c, s.policy
				}
				n := c[s.rule.Action]
				if n[1]++; s.rule.Antrea.Logging {
					n[0]++
				}
				c[s.rule.Action] = n
			}
		}
	}
	for _, p := range f.out.Policies {
		var l model.LogLevels
		some := false
		for a, level := range map[model.Action]*string{model.Allow: &l.Allow, model.Deny: &l.Deny, model.Pass: &l.Pass} {
			switch n := logs[p.Key][a]; {
			case n[0] > 0 && n[0] == n[1]:
				*level = logLevel
			case n[0] > 0:
				some = true
			}
		}
		if l.Any() {
			p.Logging, p.HasLogging = l.Annotation(), true
			p.Annotations = map[string]string{model.AnnotationLogging: p.Logging}
		}
		if some {
			f.out.Notes = append(f.out.Notes, Note{of[p.Key].Key,
				"of the rules of one action in " + p.Label() + " only some log, and it logs by action: they do not log any more"})
		}
	}
}

// logLevel is that of rules with enableLogging, which has none.
const logLevel = "info"
