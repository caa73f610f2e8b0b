package cli

import (
	"context"

	"rung/engine"
	"rung/pages/sessions"
	"rung/revision"
	"rung/revision/omitted"
)

// logSessions lists who logs what until when, and what ended.
func (a *app) logSessions(ctx context.Context) error {
	return a.objects(ctx, func(e *engine.Engine, r *revision.Revision) error {
		all := sessions.Of(r, e.EndedLogs(), e.Now())
		ans := tableAnswer(a, all, sessions.Table, all.All())
		ans.notConsidered = omitted.Objects(r)
		return a.say(ans)
	})
}
