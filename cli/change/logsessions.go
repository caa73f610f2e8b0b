package change

import (
	"context"

	"rung/cli/command"
	"rung/engine"
	"rung/pages/sessions"
	"rung/revision"
	"rung/revision/omitted"
)

// logSessions lists who logs what until when, and what ended.
func logSessions(ctx context.Context, a *command.App) error {
	return a.WithObjects(ctx, func(e *engine.Engine, r *revision.Revision) error {
		all := sessions.Of(r, e.Sessions().All(), e.Now())
		ans := command.TableAnswer(a, all, sessions.Table, all.All())
		ans.NotConsidered = omitted.Objects(r)
		return a.Conclude(ans)
	})
}
