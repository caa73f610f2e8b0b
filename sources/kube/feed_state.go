package kube

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"rung/model"
)

// Codes of model.Broken from this package.
const (
	CodeDenied = "no-permission" // a resource without read permission
	CodeAbsent = "not-served"    // a resource the server does not serve
	CodeMore   = "more"          // omitted entries
)

// patienceTries is how often a resource may fail before the others proceed without it.
const patienceTries = 3

// publishStep hands a step to the watcher; listed means it is a whole list.
func (f *feed) publishStep(s feedStep, listed bool) {
	w := f.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == 0 && len(s.upsert)+len(s.remove) > 0 {
		w.oldestChange = time.Now()
	}
	for _, k := range s.remove {
		w.pending[k] = nil
	}
	for _, o := range s.upsert {
		w.pending[o.ObjectKey()] = o
	}
	for k, b := range s.broken {
		w.brokenNew = true
		if len(b) == 0 {
			delete(w.broken, k)
		} else {
			w.broken[k] = b
		}
	}
	news := len(s.upsert)+len(s.remove)+len(s.broken) > 0 || f.res.Count != s.count
	f.res.Count = s.count
	if listed {
		f.listed, f.res.WasRead, news = true, true, true
		if !f.refusedWatch {
			f.refusals, f.wasAllowed = 0, true
			f.setState(model.ConnSynced, "")
		}
	}
	if news {
		w.markChanged()
	}
}

// markFollowed notes that the resource is being followed.
func (f *feed) markFollowed() {
	f.refusals = 0
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	if f.res.Conn != model.ConnSynced {
		f.setState(model.ConnSynced, "")
		f.w.markChanged()
	}
}

// noteFailure records why a request failed, and returns the resulting state.
func (f *feed) noteFailure(err error) model.ConnState {
	state, text := f.explainError(err)
	if !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) {
		f.refusals = 0 // listPage turns the refusal of a missing resource into not found
	}
	if apierrors.IsForbidden(err) && f.wasAllowed && time.Since(f.refusedSince) < f.w.t.lasting {
		state, text = model.ConnLost, text+"; asking again"
	}
	login := apierrors.IsUnauthorized(err)
	if login {
		f.w.reopenCredentials()
	}
	// Wait for a second such answer: a server that has just started may not know its CRDs yet. A policy
	// wrongly taken for deleted is worse than one shown a moment longer.
	f.w.mu.Lock()
	f.notServed = state == model.ConnAbsent && f.res.Conn == model.ConnAbsent
	f.w.mu.Unlock()
	if f.notServed {
		f.publishStep(f.have.replaceAll(nil), false) // objects vanish with their CRD
	}
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.res.Attempts++
	f.stalled = false
	if f.refusedLogin != login {
		f.refusedLogin, f.w.brokenNew = login, true
	}
	f.setState(state, text)
	f.w.markChanged()
	return state
}

// setState changes the state; the caller holds the watcher's lock.
func (f *feed) setState(state model.ConnState, text string) {
	if state == model.ConnSynced {
		f.res.Attempts = 0
	}
	if state != f.res.Conn {
		f.res.Conn, f.res.At = state, model.Stamp{Time: time.Now()}
		f.w.brokenNew = true
	}
	f.res.Error = text
}

// needNotWait reports whether loading may finish without the resource; the caller holds the watcher's lock.
// Rejected credentials say nothing about the resource.
func (f *feed) needNotWait() bool {
	return f.isKnownAbsent() || f.res.Conn == model.ConnLost && f.res.Attempts >= patienceTries
}

// isKnownAbsent reports whether the server said that nothing can be read; the caller holds the watcher's lock.
func (f *feed) isKnownAbsent() bool {
	return f.res.Conn == model.ConnAbsent || f.res.Conn == model.ConnDenied && !f.refusedLogin
}

// brokenEntry returns the problem of a required, unreadable resource, if any; the caller holds the watcher's lock.
func (f *feed) brokenEntry() (model.Broken, bool) {
	b := model.Broken{Origin: f.w.clusterOrigin(), Key: model.Key{Kind: f.resource.kind}, Message: f.res.Error}
	switch {
	case f.resource.optional:
		return b, false
	case f.res.Conn == model.ConnDenied && !f.refusedLogin:
		b.Severity, b.Code = model.SeverityError, CodeDenied
	case f.res.Conn == model.ConnAbsent:
		b.Severity, b.Code = model.SeverityWarning, CodeAbsent
	default:
		return b, false
	}
	return b, true
}
