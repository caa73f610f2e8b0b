package revision

import (
	"strings"

	"rung/model"
	"rung/model/words"
)

// Unjudged says in a few words that a policy decides nothing, or that Rung does not judge it, and why.
type Unjudged struct{ Sign, State, Why string }

const notJudged = "not judged"

// WhyUnjudged returns nil for a policy that decides something and that Rung judges as a whole.
func WhyUnjudged(r *Revision, p *model.Policy) *Unjudged {
	if p.IsRefused() {
		_, b := p.WhyUntaken("")
		why := strings.TrimSpace(b.Field + " " + b.Message)
		if b.IsError() {
			return &Unjudged{words.No, "decides nothing", why}
		}
		return &Unjudged{words.Unknown, notJudged, why}
	}
	if r.System.UnjudgedPart != nil {
		if why := r.System.UnjudgedPart(r.Cluster, p); why != "" {
			return &Unjudged{words.Unknown, notJudged, why}
		}
	}
	return nil
}

// Facts returns whether the policy is refused, and if it is not, why Rung does not judge it; u may be nil.
func (u *Unjudged) Facts() (refused bool, why string) {
	if u == nil || u.State != notJudged {
		return u != nil, ""
	}
	return false, u.Why
}
