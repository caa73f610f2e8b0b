package lint

import (
	"cmp"
	"strings"

	"rung/model"
	"rung/model/words"
)

// brokenObject is the code of an unreadable object whose error has no code.
const brokenObject = "broken"

// addBroken adds a finding for an object that was not accepted.
func (l *linter) addBroken(b *model.Broken) {
	f := model.Finding{Code: cmp.Or(b.Code, brokenObject), Severity: cmp.Or(b.Severity, model.SeverityError), Policy: b.Key, Rule: -1,
		Message: b.Message, Remedy: b.Remedy, Origin: b.Origin}
	if b.Field != "" {
		f.Direction, f.Rule = b.RuleAt()
		f.Message = b.Field + ": " + f.Message
	}
	l.out = append(l.out, f)
}

// addInvalid adds findings for what OVN-Kubernetes rejects in a policy.
func (l *linter) addInvalid(p *model.Policy) {
	for i := range p.Invalid {
		b := p.Invalid[i]
		b.Key = p.Key
		if b.Origin == (model.Origin{}) {
			b.Origin = p.Origin
		}
		l.addBroken(&b)
	}
}

// checkLogging reports a logging annotation that keeps the whole policy from being programmed.
func (l *linter) checkLogging(p *model.Policy) {
	if _, err := p.LogLevels(); err != nil {
		l.addAbout(p, LoggingInvalid, words.CleanText(err.Error())+
			"; despite that text the whole policy is not programmed, and old rows may still "+
			"apply").Remedy = `use JSON such as {"deny":"alert","allow":"info"}; levels: ` +
			strings.Join(model.LogSeverities, ", ") + `, or "" for off`
	}
}
