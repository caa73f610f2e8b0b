package revision

import (
	"strings"

	"rung/model"
	"rung/model/words"
)

// Unjudged describes in a few words a policy that decides nothing, or that Rung does not judge, and why.
type Unjudged struct{ Sign, State, Why string }

const notJudged = "not judged"

// WhyUnjudged returns why a policy decides nothing or is not judged; nil if neither applies.
func WhyUnjudged(r *Revision, p *model.Policy) *Unjudged {
	if p.IsRejected() {
		_, b := p.WhyRejected("")
		why := strings.TrimSpace(b.Field + " " + b.Message)
		if b.IsError() {
			return &Unjudged{words.No, "decides nothing", why}
		}
		return &Unjudged{words.Unknown, notJudged, why}
	}
	if r.System.UnjudgedPart == nil {
		return nil
	}
	if why := r.System.UnjudgedPart(r.Cluster, p); why != "" {
		return &Unjudged{words.Unknown, notJudged, why}
	}
	return nil
}

// Facts returns whether the policy is rejected, and if not, why Rung does not judge it. u may be nil.
func (u *Unjudged) Facts() (refused bool, why string) {
	if u == nil || u.State != notJudged {
		return u != nil, ""
	}
	return false, u.Why
}
