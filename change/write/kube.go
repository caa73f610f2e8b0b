package write

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/change"
	"rung/model"
	"rung/model/words"
	"rung/sources/kube"
)

// kubeWriter makes changes through an API server.
type kubeWriter struct{ policies *kube.Policies }

// NewKubeWriter returns a writer to a cluster, which uses the verb that fits each change (see kube.Verb). An
// API server cannot make all changes or none: a set that fails half way is reverted, but for objects that
// somebody else changed meanwhile, and the error says what remains.
func NewKubeWriter(c *kube.Cluster) change.Writer { return &kubeWriter{c.Policies()} }

// kubeChange converts a change for the API.
func kubeChange(c *change.ObjectChange) kube.PolicyChange {
	ch := kube.PolicyChange{Verb: c.ServerVerb, Key: c.Key, Old: c.Old, New: c.New, Force: c.Force,
		Unchanged: func(live *model.Policy) bool { return model.SameContent(live, c.Old) }}
	if c.SentDocument != nil {
		ch.New = c.SentDocument
	}
	return ch
}

// LivePolicies reads the policies one by one.
func (w *kubeWriter) LivePolicies(ctx context.Context, keys []model.PolicyKey) (map[model.PolicyKey]*kube.LivePolicy, error) {
	out := make(map[model.PolicyKey]*kube.LivePolicy, len(keys))
	for _, k := range keys {
		if k.Name == "" || !change.IsChangeable(k.Kind) {
			continue // invalid, which is reported elsewhere
		}
		l, err := w.policies.Get(ctx, k)
		if err != nil && !errors.Is(err, kube.ErrGone) {
			return nil, err
		}
		out[k] = l
	}
	return out, nil
}

// TryChanges makes a dry run of every change.
func (w *kubeWriter) TryChanges(ctx context.Context, changes []change.ObjectChange) *change.ServerAnswer {
	out := &change.ServerAnswer{Stored: make([]*model.Policy, len(changes))}
	for i := range changes {
		c := &changes[i]
		res, err := w.policies.MakeChange(ctx, kubeChange(c), true)
		if err != nil {
			addRefusal(out, c, err)
			continue
		}
		out.Stored[i] = res.Policy
		for _, text := range res.Warnings {
			out.Warnings = append(out.Warnings, fmt.Sprintf("the server warns of %s: %s", c.Key.Label(), text))
		}
	}
	return out
}

// addRefusal adds the server's reason for rejecting a change.
func addRefusal(out *change.ServerAnswer, c *change.ObjectChange, err error) {
	no, isRejected := errors.AsType[*kube.RejectedError](err)
	why := ""
	switch contested, ok := errors.AsType[*kube.ContestedError](err); {
	case ok:
		why = fmt.Sprintf("%s: fields are %v; --force-conflicts takes them over", c.Key.Label(), contested)
	case isRejected && len(no.Fields) > 0:
		for _, f := range no.Fields {
			out.Errors = append(out.Errors, model.Broken{Severity: model.SeverityError, Origin: model.Origin{Item: -1},
				Key: c.Key, Field: f.Field, Code: CodeServer, Message: f.Message})
		}
		return
	case isRejected:
		why = fmt.Sprintf("the API server refuses to %s %s: %v", c.ServerVerb, c.Key.Label(), no)
	default:
		why = change.Capitalize(words.CleanText(err.Error()))
	}
	if out.Blocked == "" {
		out.Blocked = why
	}
}

// CodeServer marks errors found by the API server instead of Rung's own validation.
const CodeServer = "server"

// Write makes the changes in order and replaces New by the stored object. A failure reverts those already made.
func (w *kubeWriter) Write(ctx context.Context, changes []change.ObjectChange) error {
	for i := range changes {
		stored, err := w.makeChange(ctx, &changes[i])
		if err == nil {
			if stored != nil {
				changes[i].New = stored
			}
			continue
		}
		if errors.Is(err, kube.ErrChanged) {
			err = fmt.Errorf("%w: %w", change.ErrStale, err)
		}
		if i > 0 {
			err = fmt.Errorf("%w; %s", err, w.putBack(context.WithoutCancel(ctx), changes[:i]))
		}
		return err
	}
	return nil
}

// makeChange makes a change. If the answer is lost, it reads the object to find out what happened.
func (w *kubeWriter) makeChange(ctx context.Context, c *change.ObjectChange) (*model.Policy, error) {
	res, err := w.policies.MakeChange(ctx, kubeChange(c), false)
	if err == nil {
		return res.Policy, nil
	}
	if no, ok := errors.AsType[*kube.RejectedError](err); !errors.Is(err, kube.ErrNoAnswer) && !(ok && no.Code >= 500) {
		return nil, err
	}
	return w.checkWritten(context.WithoutCancel(ctx), c, err)
}

// Limits for finding out whether a change was made after its answer was lost, and for reverting.
const (
	settleTries = 3
	settlePause = 300 * time.Millisecond
	settleTime  = 10 * time.Second
	backTime    = 20 * time.Second
)

// checkWritten finds out whether a change was made.
func (w *kubeWriter) checkWritten(ctx context.Context, c *change.ObjectChange, lost error) (*model.Policy, error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for range settleTries {
		l, err := w.policies.Get(ctx, c.Key)
		switch {
		case errors.Is(err, kube.ErrGone) && c.New == nil:
			return nil, nil
		case errors.Is(err, kube.ErrGone) && c.Old == nil:
			return nil, fmt.Errorf("%w; it was not made", lost)
		case err == nil && c.New == nil && c.Old.UID != "" && l.Policy.UID != c.Old.UID:
			return nil, nil // another object of this name
		case err == nil && c.New != nil && model.SameContent(l.Policy, c.New):
			return l.Policy, nil
		case err == nil && c.Old != nil && model.SameContent(l.Policy, c.Old):
			return nil, fmt.Errorf("%w; it was not made", lost)
		case err == nil:
			return nil, fmt.Errorf("%w; %s has neither its old nor its new content", lost, c.Key.Label())
		}
		pause := time.NewTimer(settlePause)
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
	return nil, fmt.Errorf("%w; unknown whether %s was written: check it once the server answers", lost, c.Key.Label())
}

// putBack reverts changes that were made, newest first, and says what remains.
func (w *kubeWriter) putBack(ctx context.Context, done []change.ObjectChange) string {
	ctx, cancel := context.WithTimeout(ctx, backTime)
	defer cancel()
	var back, stand []string
	for _, c := range slices.Backward(done) {
		r := change.ObjectChange{Key: c.Key, Old: c.New, New: c.Old}
		r.ServerVerb = change.APIVerb(change.Mutation{}, &r)
		if _, err := w.policies.MakeChange(ctx, kubeChange(&r), false); err != nil {
			stand = append(stand, fmt.Sprintf("%s remains changed (%v)", c.Key.Label(), err))
		} else {
			back = append(back, c.Key.Label())
		}
	}
	if len(back) > 0 {
		stand = append(stand, "reverted: "+words.ListSome(back, 3))
	}
	return strings.Join(stand, "; ")
}
