package gate

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"rung/change"
	"rung/change/rewrite"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
)

// Bounds of a logging session's length.
const (
	leastSession = time.Second
	mostSession  = 30 * 24 * time.Hour
)

// DefaultSession is the default length of a logging session.
const DefaultSession = 15 * time.Minute

// logLevel sets the log levels of policies and namespaces, permanently or for a session.
func (r *mutationResolver) logLevel() {
	m := &r.preview.Mutation
	r.preview.Title = m.LoggingTitle()
	id, now := rand.Text(), r.gate.Config.Now().Truncate(time.Millisecond)
	for _, k := range m.LoggingTargets() {
		if old := r.loggablePolicy(k); old != nil {
			r.setLevel(old, id, now)
		}
	}
}

// loggablePolicy returns the object of a key. If its logging cannot be changed, it blocks the change and
// returns nil.
func (r *mutationResolver) loggablePolicy(k model.PolicyKey) *model.Policy {
	old := r.rev.Cluster.Changeable(k)
	switch {
	case old == nil:
		r.block("there is no %s", k.Label())
	case !k.Kind.HasLogLevel():
		r.block("%s", revision.WhyNoOwnLogging(k))
	case r.preview.Mutation.Op == change.OpLogLevel && r.preview.Mutation.Levels.IsOn() && r.rev.System.WhyNotLogged(k.Kind) != "":
		r.block("%s: %s", k.Label(), r.rev.System.WhyNotLogged(k.Kind)) // setting a level has no effect; existing levels may be removed
	case k.Kind == model.KindNamespace && r.rev.Mode.WriteBack:
		r.block("Rung does not write namespaces to files: set the logging of namespace %s in its manifest", k.Name)
	default:
		return old
	}
	return nil
}

// setLevel sets the level of one object.
func (r *mutationResolver) setLevel(old *model.Policy, id string, now time.Time) {
	m, p := r.preview.Mutation, r.preview
	if old.Tiered != nil {
		r.setRules(old, id, now)
		return
	}
	if _, err := model.ParseLogging(m.Levels.AnnotationText(), true); err != nil {
		r.block("%v; the levels are %s", err, strings.Join(model.LogSeverities, ", "))
		return
	}
	if old.Kind == model.KindNamespace && m.Levels.Pass != "" {
		r.block("a namespace has no level for pass: NetworkPolicies allow, and deny the rest")
		return
	}
	was, open := old.LogSession()
	set := map[string]string{}
	if m.Levels.IsOn() {
		set[model.AnnotationLogging] = m.Levels.AnnotationText()
	}
	switch {
	case !r.isSessionValid(m.Levels.IsOn()):
		return
	case m.Session:
		former, had := old.RawAnnotation(model.AnnotationLogging)
		if open && !logline.IsChanged(old, was) {
			former, had = was.Former, was.HadFormer // the new session continues the open one
			p.Notes = append(p.Notes, fmt.Sprintf("%s: replaces the session of %s", old.Key.Label(), was.BriefText(now)))
		}
		s, err := model.NewLogSession(id, userAtHost(r.gate.user), now, m.SessionTime, former, had)
		if err != nil {
			r.block("%s: %v", old.Key.Label(), err)
			return
		}
		if r.currentLevels(old) == m.Levels {
			p.Notes = append(p.Notes, old.Key.Label()+" already logs this: no row changes")
		}
		s.Set = set[model.AnnotationLogging]
		set[model.AnnotationLogSession] = s.AnnotationText()
		p.Notes = append(p.Notes, fmt.Sprintf("%s: the session's end restores the annotation: %s", old.Key.Label(), logline.FormerText(s)))
	case open:
		p.Notes = append(p.Notes, fmt.Sprintf("%s: ends the logging session of %s; the earlier logging is not restored: %s",
			old.Key.Label(), was.BriefText(now), logline.FormerText(was)))
	}
	r.setAnnotations(old, set)
}

// isSessionValid reports whether a session may begin. It blocks a session that would log nothing and a session
// of an invalid length. on says whether any level is on.
func (r *mutationResolver) isSessionValid(on bool) bool {
	switch m := r.preview.Mutation; {
	case m.Session && !on:
		r.block("nothing would be logged: choose a level")
	case m.Session && (m.SessionTime < 0 || m.SessionTime > 0 && m.SessionTime < leastSession || m.SessionTime > mostSession):
		r.block("session length %s: want 1 second to 30 days, or no end", m.SessionTime)
	default:
		return true
	}
	return false
}

// setRules switches the logging of a policy that sets it for each rule.
func (r *mutationResolver) setRules(old *model.Policy, id string, now time.Time) {
	m := r.preview.Mutation
	if why := logline.WhyInvalid(m.Levels); why != "" {
		r.block("%s: %s", old.Key.Label(), why)
		return
	}
	if !r.isSessionValid(slices.Contains([]string{m.Levels.Deny, m.Levels.Allow, m.Levels.Pass}, logline.On)) {
		return
	}
	next, notes, broken := rewrite.SwitchRules(old, &m, model.LogSession{ID: id, By: userAtHost(r.gate.user), Since: now},
		r.gate.judgingOptions())
	r.preview.Notes = append(r.preview.Notes, notes...)
	r.takeRewritten(old, next, broken)
}

// currentLevels returns the log levels set by an object's annotation, or no levels if the annotation is
// invalid.
func (r *mutationResolver) currentLevels(p *model.Policy) model.LogLevels {
	if p.Kind == model.KindNamespace {
		return revision.NamespaceLogging(r.rev, p.Name).Levels
	}
	now, err := p.LogLevels()
	if err != nil {
		return model.LogLevels{}
	}
	return now
}

// userAtHost returns USER@HOST for a record that people on other machines read.
func userAtHost(user string) string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		return user
	}
	return user + "@" + words.CleanText(host)
}

// setAnnotations replaces the logging annotations of an object by those in set.
func (r *mutationResolver) setAnnotations(old *model.Policy, set map[string]string) {
	now, broken := rewrite.WithAnnotations(old, set, r.gate.judgingOptions())
	r.takeRewritten(old, now, broken)
}

func (r *mutationResolver) takeRewritten(old, now *model.Policy, broken []model.Broken) {
	r.preview.Errors = append(r.preview.Errors, broken...)
	if now != nil {
		r.preview.Errors = append(r.preview.Errors, now.Invalid...)
		r.addChange(old, now)
	}
}

// logEnd ends the logging sessions of policies and namespaces.
func (r *mutationResolver) logEnd() {
	m := &r.preview.Mutation
	r.preview.Title = "End logging of " + m.TargetNames()
	for _, k := range m.LoggingTargets() {
		old := r.loggablePolicy(k)
		if old == nil {
			continue
		}
		if _, has := old.RawAnnotation(model.AnnotationLogSession); !has {
			r.preview.Notes = append(r.preview.Notes, k.Label()+" has no logging session")
			continue
		}
		r.endSession(old)
	}
}

// endSession restores the former level, unless somebody else changed it meanwhile.
func (r *mutationResolver) endSession(old *model.Policy) {
	m, p, name := r.preview.Mutation, r.preview, old.Key.Label()
	set := map[string]string{}
	if level, has := old.RawAnnotation(model.AnnotationLogging); has {
		set[model.AnnotationLogging] = level
	}
	s, ok := old.LogSession()
	left := "the level is kept: " + levelText(set)
	if old.Tiered != nil {
		ok, left = ok && logline.IsRecord(s), "the logging of its rules is kept: "+logline.LoggingByAction(old).String()
	}
	switch {
	case m.Timed && (!ok || !s.IsOver(r.gate.Config.Now())):
		r.block("the logging session of %s has not expired", name)
		return
	case !ok:
		p.Notes = append(p.Notes, fmt.Sprintf("the session record on %s is not Rung's: it is removed; %s", name, left))
	case old.Tiered != nil:
		p.Notes = append(p.Notes, name+": "+logline.EndText(old, s))
		now, broken := rewrite.EndRules(old, s, r.gate.judgingOptions())
		r.takeRewritten(old, now, broken)
		return
	case logline.IsChanged(old, s):
		p.Notes = append(p.Notes, fmt.Sprintf("the level of %s was changed meanwhile and is left alone: %s", name, levelText(set)))
	default:
		delete(set, model.AnnotationLogging)
		if s.HadFormer {
			set[model.AnnotationLogging] = s.Former
		}
		p.Notes = append(p.Notes, name+": annotation restored: "+logline.FormerText(s))
	}
	r.setAnnotations(old, set)
}

func levelText(set map[string]string) string {
	if text, has := set[model.AnnotationLogging]; has {
		return words.CleanText(text)
	}
	return "no annotation"
}

// sessionBegun returns the id of the logging session that a change began, or "".
func sessionBegun(changes []change.ObjectChange) (id string) {
	for i := range changes {
		if now := changes[i].New; now != nil {
			if s, ok := now.LogSession(); ok && (changes[i].Old == nil || !sameSession(changes[i].Old, s)) {
				id = s.ID
			}
		}
	}
	return id
}

func sameSession(p *model.Policy, s model.LogSession) bool {
	o, ok := p.LogSession()
	return ok && o.ID == s.ID
}

// endedSessions returns the logging sessions that a change ended.
func endedSessions(p *Preview, by string, at time.Time) (out []model.EndedLogSession) {
	for i := range p.Objects {
		c := &p.Objects[i]
		if c.Old == nil {
			continue
		}
		s, ok := c.Old.LogSession()
		if !ok || c.New != nil && sameSession(c.New, s) {
			continue
		}
		e := model.EndedLogSession{Target: c.Key, LogSession: s, At: at}
		switch {
		case c.New == nil:
			e.How = "deleted by " + by
		case p.Mutation.Op == change.OpLogEnd && p.Mutation.Timed:
			e.How = "expired"
		case p.Mutation.Op == change.OpLogEnd:
			e.How = "ended by " + by
		default:
			e.How = p.Title + " (" + by + ")"
		}
		if p.Mutation.Op == change.OpLogEnd {
			e.How += "; " + logline.EndText(c.Old, s)
		}
		out = append(out, e)
	}
	return out
}
