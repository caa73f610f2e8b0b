package kube

import (
	"context"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// TestReflector holds what keeps feeds from being Reflectors: it neither tells of a
// server that does not listen any more nor looks at its context while it waits to try a
// streamed list again. When this fails client-go has become better: see
// docs/architecture.md.
func TestReflector(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for name, streamed := range map[string]bool{"a watch": false, "a streamed list": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tried, told atomic.Int32
				informer := cache.NewSharedIndexInformer(&cache.ListWatch{
					ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
						return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
					},
					WatchFuncWithContext: func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
						if o.SendInitialEvents != nil && !streamed {
							return nil, os.ErrInvalid // no streamed list here: it lists, and watches then
						}
						tried.Add(1)
						return nil, refused
					},
				}, &corev1.Pod{}, 0, nil)
				if err := informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) { told.Add(1) }); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan time.Time, 1)
				go func() {
					informer.RunWithContext(ctx)
					done <- time.Now()
				}()
				time.Sleep(5 * time.Minute)
				if tried.Load() < 5 || told.Load() != 0 {
					t.Errorf("tried %d times, told %d times", tried.Load(), told.Load())
				}
				synctest.Wait()
				cancelled := time.Now()
				cancel()
				if late := (<-done).Sub(cancelled); streamed == (late == 0) {
					t.Errorf("it ended %v after its context", late)
				}
			})
		})
	}
}
