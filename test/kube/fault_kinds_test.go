package kube_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rung/test/servers"
	"rung/test/wait"
)

// fault is something that goes wrong and comes right again.
type fault struct {
	kind string
	// make makes it and returns when it is over; how long it lasts is up to r.
	make func(w *faultWorld, ctx context.Context, r *rand.Rand) error
}

// Faults of one lane come one after the other, those of two lanes at any time.
var faultLanes = [2][]fault{
	{
		{"API server killed", func(w *faultWorld, ctx context.Context, r *rand.Rand) error {
			err := w.c.KillAPI()
			rest(ctx, r, 2*time.Second)
			return errors.Join(err, w.c.StartAPI(ctx))
		}},
		{"API server stalled", func(w *faultWorld, ctx context.Context, r *rand.Rand) error {
			err := w.c.StopAPI()
			rest(ctx, r, 4*time.Second)
			return errors.Join(err, w.c.ContAPI())
		}},
		{"etcd stalled", func(w *faultWorld, ctx context.Context, r *rand.Rand) error {
			err := w.c.StopEtcd()
			rest(ctx, r, 4*time.Second)
			return errors.Join(err, w.c.ContEtcd())
		}},
		{"watch expired", (*faultWorld).expire},
	},
	{
		{"watch cut", func(w *faultWorld, ctx context.Context, r *rand.Rand) error {
			if err := w.standing("connection to the API server", w.proxy.cut); err != nil {
				return err
			}
			w.proxy.block(true)
			rest(ctx, r, 2*time.Second)
			w.proxy.block(false)
			return nil
		}},
		{"ovsdb-server killed", func(w *faultWorld, _ context.Context, r *rand.Rand) error {
			return servers.Kill(w.z.Endpoints()[smallNodes[r.IntN(len(smallNodes))]])
		}},
		{"ovsdb-server stalled", func(w *faultWorld, ctx context.Context, r *rand.Rand) error {
			zone := smallNodes[r.IntN(len(smallNodes))]
			if err := w.upAgain(zone); err != nil {
				return err
			}
			err := servers.Stop(w.z.Endpoints()[zone])
			rest(ctx, r, 4*time.Second)
			return errors.Join(err, servers.Cont(w.z.Endpoints()[zone]))
		}},
		{"log stream cut", func(w *faultWorld, _ context.Context, _ *rand.Rand) error {
			return w.standing("log stream", w.kubelet.cutLogs)
		}},
		{"exec stream cut", func(w *faultWorld, _ context.Context, _ *rand.Rand) error {
			return w.standing("exec stream", w.kubelet.cutExecs)
		}},
	},
}

// rest waits for a random time up to most.
func rest(ctx context.Context, r *rand.Rand, most time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(r.Int64N(int64(most)))):
	}
}

// standing cuts where something stands to be cut: what was cut before is back.
func (w *faultWorld) standing(what string, cut func() int) error {
	if !wait.Poll(patience, func() bool { return cut() > 0 }) {
		return fmt.Errorf("within %v there is no %s to cut", patience, what)
	}
	return nil
}

// upAgain waits for a zone's server, which may just have been killed.
func (w *faultWorld) upAgain(zone string) error {
	var err error
	if !wait.Poll(patience, func() bool { err = servers.Cont(w.z.Endpoints()[zone]); return err == nil }) {
		return err
	}
	return nil
}

// expire lets what the console watches from expire: it is cut off while the API
// server restarts, and etcd forgets.
func (w *faultWorld) expire(ctx context.Context, _ *rand.Rand) error {
	ask, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	list, err := w.c.Any.Resource(anps).List(ask, metav1.ListOptions{Limit: 1})
	if err != nil {
		return fmt.Errorf("before a watch expires: %w", err)
	}
	// Without a later change that version would be the newest, which never expires.
	later := fmt.Appendf(nil, `{"metadata":{"annotations":{"test/after":%q}}}`, list.GetResourceVersion())
	if _, err := w.c.Client.CoreV1().Namespaces().Patch(ask, "default", types.MergePatchType, later, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("before a watch expires: %w", err)
	}
	w.proxy.block(true)
	defer w.proxy.block(false)
	if err := errors.Join(w.c.KillAPI(), w.c.StartAPI(ctx)); err != nil {
		return err
	}
	if !wait.Poll(patience, func() bool { return expired(w.t, w.c, list.GetResourceVersion()) }) {
		return fmt.Errorf("version %s does not expire", list.GetResourceVersion())
	}
	return nil
}
