package gate

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/change"
	"rung/change/effect"
	"rung/change/history"
	"rung/model/words"
	"rung/revision"
)

// opArrived is the operation of a change that a source delivered without passing the gate.
const opArrived change.Op = "source"

// WaitIdle waits until no change is under way here, so that our own changes do not pass for others'.
func (g *Gate) WaitIdle(ctx context.Context) {
	if leave, err := g.changes.enter(ctx, "look at what others changed", nil); err == nil {
		leave()
	}
}

// GuardsOfArrived returns the guard rails hit by policy changes that came from a source and did not pass the
// gate. It judges them like the gate's own changes, and audits them if they hit a rail. next is the revision
// with the changes.
func (g *Gate) GuardsOfArrived(ctx context.Context, next *revision.Revision, changes []change.ObjectChange) []change.Guard {
	rev := effect.RevisionBefore(next, changes)
	p := &Preview{Objects: changes}
	g.judgeEffect(p, effect.JudgeChanges(ctx, rev, next, changes, g.clusterFacts()), rev)
	if len(p.Guards) == 0 || ctx.Err() != nil {
		return nil
	}
	title := arrivedTitle(changes)
	r := g.newAuditRecord(g.Config.Now(), next, opArrived, "")
	r.By, r.Objects, r.Result = string(opArrived), history.NewAuditObjects(changes), history.OK
	for _, rail := range p.Guards {
		title += "; " + rail.Message
		r.Guards = append(r.Guards, rail.Code)
	}
	r.Title, r.Mode, r.Sandbox = title, next.Mode.Name, false // it is already in a file or on the server
	_ = g.Config.Audit.Write(r)                               // the change is real even if the audit cannot be written
	return p.Guards
}

// fewNamed is the most places, and the most policies, that a title names.
const fewNamed = 3

// arrivedTitle names the places and the policies of a change.
func arrivedTitle(changes []change.ObjectChange) string {
	var places, names []string
	for i := range changes {
		names = append(names, changes[i].Key.Label())
		if at := changes[i].Place(); !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	return fmt.Sprintf("%s changed: %s", words.ListSome(places, fewNamed), words.ListSome(names, fewNamed))
}

// auditRecord returns the audit record of a change begun at a time, still without its outcome.
func (g *Gate) auditRecord(at time.Time, rev *revision.Revision, p *Preview, a Confirm) history.AuditRecord {
	r := g.newAuditRecord(at, rev, p.Mutation.Op, p.Title)
	r.By, r.Objects, r.Commands = a.By, history.NewAuditObjects(p.Objects), p.Commands
	for _, gd := range p.Guards {
		r.Guards = append(r.Guards, gd.Code)
	}
	return r
}

// AuditRejected records in the audit that the change of a preview was requested and not made.
func (g *Gate) AuditRejected(p *Preview, by string, why error) error {
	r := g.auditRecord(g.Config.Now(), g.Config.CurrentRevision(), p, Confirm{By: by})
	r.Outcome(history.Refused, why, 0)
	return g.Config.Audit.Write(r)
}

// newAuditRecord returns an audit record with user, place and time filled in.
func (g *Gate) newAuditRecord(at time.Time, rev *revision.Revision, op change.Op, title string) history.AuditRecord {
	return history.AuditRecord{Time: at.UTC(), User: g.user, Mode: rev.Mode.ChangedName(), Context: rev.Mode.Title, Server: rev.Mode.Server,
		Identity: g.Config.Identity, Sandbox: !rev.Mode.IsPersistent(), Op: op, Title: title}
}

// AuditNote records in the audit an event that changes no policy: switching writing on or off. The event
// happens even if the audit cannot be written.
func (g *Gate) AuditNote(by, op, text string) {
	r := g.newAuditRecord(g.Config.Now(), g.Config.CurrentRevision(), change.Op(op), text)
	r.By, r.Result = by, history.OK
	_ = g.Config.Audit.Write(r)
}

// CurrentUser returns the login name of the user who runs this process, else the user id.
func CurrentUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := strings.TrimSpace(os.Getenv("USER")); name != "" {
		return name
	}
	return strconv.Itoa(os.Getuid())
}
