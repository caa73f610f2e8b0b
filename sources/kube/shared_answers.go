package kube

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SharedAnswers shares answers among callers. Each answer is requested once; later callers wait for it. It is
// reused for a while, errors too, since the next request would fail alike. The zero value keeps no answers.
type SharedAnswers[T any] struct {
	Keep   time.Duration // how long an answer is reused
	Within time.Duration // bounds a request, whoever waits; 0 for no limit

	mu    sync.Mutex
	byKey map[string]*sharedAnswer[T]
}

// sharedAnswer is one answer; ready is closed once it has come.
type sharedAnswer[T any] struct {
	ready   chan struct{}
	waiters int                // callers that wait for it; guarded by SharedAnswers.mu
	cancel  context.CancelFunc // ends the request

	validUntil time.Time // set with the fields below, before ready
	value      T
	err        error
}

// Get returns the answer of a key, and requests it if needed. It waits no longer than ctx. When the last
// caller gives up, the context of ask ends and that caller waits for ask to return.
func (s *SharedAnswers[T]) Get(ctx context.Context, key string, ask func(context.Context) (T, error)) (T, error) {
	a := s.joinAsking(ctx, key, ask)
	select {
	case <-a.ready:
	case <-ctx.Done():
	}
	if s.leaveAsking(key, a) {
		return a.value, a.err
	}
	var none T
	return none, context.Cause(ctx)
}

// joinAsking returns the answer that is valid or under way, or requests one, and counts the waiting caller.
func (s *SharedAnswers[T]) joinAsking(ctx context.Context, key string, ask func(context.Context) (T, error)) *sharedAnswer[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.byKey[key]
	if a == nil || a.isGiven() && time.Now().After(a.validUntil) {
		a = &sharedAnswer[T]{ready: make(chan struct{})}
		// Detach from the first caller's context: others wait too.
		ctx = context.WithoutCancel(ctx)
		if s.Within > 0 {
			ctx, a.cancel = context.WithTimeout(ctx, s.Within)
		} else {
			ctx, a.cancel = context.WithCancel(ctx)
		}
		if s.byKey == nil {
			s.byKey = map[string]*sharedAnswer[T]{}
		}
		s.byKey[key] = a
		go func() {
			defer close(a.ready)
			defer a.cancel()
			a.value, a.err = ask(ctx)
			a.validUntil = time.Now().Add(s.Keep)
		}()
	}
	a.waiters++
	return a
}

// leaveAsking ends the caller's wait, and reports whether the answer has come. An answer without waiting
// callers is abandoned, and not given to later callers.
func (s *SharedAnswers[T]) leaveAsking(key string, a *sharedAnswer[T]) (given bool) {
	s.mu.Lock()
	a.waiters--
	given = a.isGiven()
	abandoned := !given && a.waiters == 0
	if abandoned {
		delete(s.byKey, key) // an unfinished answer is the newest of its key
	}
	s.mu.Unlock()
	if abandoned {
		a.cancel()
		<-a.ready
	}
	return given
}

// isGiven reports whether the answer has come.
func (a *sharedAnswer[T]) isGiven() bool { return isClosed(a.ready) }

// podsPage is the number of pods per request.
const podsPage = 500

// EachPod calls f for the pods of a namespace, page by page, until f returns an error.
func EachPod(ctx context.Context, client *Builtin, namespace string, opt metav1.ListOptions,
	f func(*corev1.Pod) error) error {
	for opt.Limit = podsPage; ; {
		page, err := client.Pods(namespace).List(ctx, opt)
		if err != nil {
			return err
		}
		for i := range page.Items {
			if err := f(&page.Items[i]); err != nil {
				return err
			}
		}
		opt.Continue = page.Continue
		if opt.Continue == "" {
			return nil
		}
	}
}
