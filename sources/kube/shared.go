package kube

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SharedAnswers holds answers that many ask for: each is asked for once, whoever comes
// meanwhile waits for it, and it serves for a while, an error too, which would not be
// another for the next. The zero value is ready, and keeps nothing.
type SharedAnswers[T any] struct {
	Keep   time.Duration // how long an answer serves
	Within time.Duration // bounds the asking, whoever waits for it; 0: nothing does

	mu    sync.Mutex
	byKey map[string]*sharedAnswer[T]
}

// sharedAnswer is one answer; ready is closed when it has come.
type sharedAnswer[T any] struct {
	ready   chan struct{}
	waiters int                // how many wait for it, under SharedAnswers.mu
	cancel  context.CancelFunc // ends the asking

	validUntil time.Time // set with the fields below, before ready
	value      T
	err        error
}

// Get returns the answer of a key, by asking where there is none. It waits no longer
// than ctx. When nobody waits for an answer any more the context of ask ends, and
// the last to give up waits for ask to return.
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

// joinAsking returns the answer that serves, or the one that is on its way, or has it asked
// for. It counts the caller among those who wait.
func (s *SharedAnswers[T]) joinAsking(ctx context.Context, key string, ask func(context.Context) (T, error)) *sharedAnswer[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.byKey[key]
	if a == nil || a.isGiven() && time.Now().After(a.validUntil) {
		a = &sharedAnswer[T]{ready: make(chan struct{})}
		// Not under the first asker's context: others wait for it, too.
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

// leaveAsking takes the caller out of those who wait, and says whether the answer has come.
// One that nobody waits for is given up, and is no answer for anybody who comes later.
func (s *SharedAnswers[T]) leaveAsking(key string, a *sharedAnswer[T]) (given bool) {
	s.mu.Lock()
	a.waiters--
	given = a.isGiven()
	abandoned := !given && a.waiters == 0
	if abandoned {
		delete(s.byKey, key) // an answer that has not come is the newest of its key
	}
	s.mu.Unlock()
	if abandoned {
		a.cancel()
		<-a.ready
	}
	return given
}

// isGiven says whether the answer has come.
func (a *sharedAnswer[T]) isGiven() bool {
	select {
	case <-a.ready:
		return true
	default:
		return false
	}
}

// podsPage is how many pods one answer of the server carries.
const podsPage = 500

// EachPod calls f for the pods of a namespace, page by page, until it returns an
// error.
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
