package kube

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Shared holds answers that many ask for: each is asked for once, whoever comes
// meanwhile waits for it, and it serves for a while, an error too, which would not be
// another for the next. The zero value is ready, and keeps nothing.
type Shared[T any] struct {
	Keep   time.Duration // how long an answer serves
	Within time.Duration // bounds the asking, whoever waits for it; 0: nothing does

	mu    sync.Mutex
	byKey map[string]*answer[T]
}

// answer is one answer; ready is closed when it has come.
type answer[T any] struct {
	ready chan struct{}
	until time.Time // set with the fields below, before ready
	value T
	err   error
}

// Get returns the answer of a key, by asking where there is none. It waits no longer
// than ctx.
func (s *Shared[T]) Get(ctx context.Context, key string, ask func(context.Context) (T, error)) (T, error) {
	s.mu.Lock()
	a := s.byKey[key]
	if a != nil {
		select {
		case <-a.ready:
			if time.Now().After(a.until) {
				a = nil
			}
		default:
		}
	}
	if a == nil {
		a = &answer[T]{ready: make(chan struct{})}
		if s.byKey == nil {
			s.byKey = map[string]*answer[T]{}
		}
		s.byKey[key] = a
		go func() {
			// Not under the first asker's context: others wait for it, too.
			ctx := context.WithoutCancel(ctx)
			if s.Within > 0 {
				limited, cancel := context.WithTimeout(ctx, s.Within)
				defer cancel()
				ctx = limited
			}
			defer close(a.ready)
			a.value, a.err = ask(ctx)
			a.until = time.Now().Add(s.Keep)
		}()
	}
	s.mu.Unlock()
	select {
	case <-a.ready:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// podsPage is how many pods one answer of the server carries.
const podsPage = 500

// EachPod calls f for the pods of a namespace, page by page, until it returns an
// error.
func EachPod(ctx context.Context, client kubernetes.Interface, namespace string, opt metav1.ListOptions, f func(*corev1.Pod) error) error {
	for opt.Limit = podsPage; ; {
		page, err := client.CoreV1().Pods(namespace).List(ctx, opt)
		if err != nil {
			return err
		}
		for i := range page.Items {
			if err := f(&page.Items[i]); err != nil {
				return err
			}
		}
		if opt.Continue = page.Continue; opt.Continue == "" {
			return nil
		}
	}
}
