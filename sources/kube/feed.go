package kube

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests"
	"rung/sources/retry"
)

// feed reads one resource: a list in pages, then a watch from the list's version, again and again.
//
// client-go's Reflector does not suffice (TestReflector). It hides that a server is unreachable, and waits
// equally long for all answers. It holds whole lists if the server cannot stream them; a feed converts each
// page at once. It does not always end with its context.
type feed struct {
	w        *watcher
	resource feedResource
	conv     *manifests.TypedReader
	have     keptObjects

	// The watcher's lock guards the following fields.
	res    model.SourceResource
	listed bool
	// refusedLogin means the server rejected the credentials.
	refusedLogin bool
	// stalled means the feed is lost only because the server does not answer.
	stalled bool

	// refusedWatch means lists are permitted but watches are not: objects are as old as the list.
	refusedWatch bool
	// notServed means the server is known not to serve the resource.
	notServed bool
	// refusals counts 403 answers in a row, since refusedSince.
	refusals     int
	refusedSince time.Time
	// wasAllowed means the resource was read once: a server that refuses it now may have just started.
	wasAllowed bool
}

// feedResource describes a resource to a feed.
type feedResource struct {
	name     string // for kubectl auth can-i: "pods", "adminnetworkpolicies.policy.networking.k8s.io"
	show     string // name for people if one resource has two feeds, else empty
	kind     model.Kind
	optional bool
	quiet    bool   // absent from most clusters: shown only if served
	fields   string // field selector
	keep     int    // most objects kept, the newest; 0 for all
	list     func(context.Context, *Cluster, metav1.ListOptions) (runtime.Object, error)
	watch    func(context.Context, *Cluster, metav1.ListOptions) (watch.Interface, error)
	// custom is a CRD's resource; empty for resources of every server.
	custom schema.GroupVersionResource
}

// runFeed follows the resource until ctx ends.
func (f *feed) runFeed(ctx context.Context) {
	version := "" // to watch from; empty: list first
	fresh := retry.Backoff(f.w.t.firstRetry, f.w.t.againMax)
	again := fresh
	for ctx.Err() == nil {
		var err error
		back := f.w.serverBack()
		if version == "" {
			version, err = f.listAll(ctx)
		}
		quick := false
		if err == nil {
			version, quick, err = f.followFrom(ctx, version)
		}
		if isClosed(back) {
			again = fresh // the pauses grew while the server was away
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && !quick:
			again = fresh
			continue
		case err == nil: // opened and closed at once: an impatient proxy
			retry.Sleep(ctx, again.Step())
		case isExpired(err): // not reported, since nothing is wrong: list again
			version = ""
			retry.Sleep(ctx, again.Step())
		default:
			if state := f.noteFailure(err); state == model.ConnLost && f.refusals == 0 {
				if f.awaitServer(ctx, back, again.Step()) {
					again = fresh
				}
			} else {
				// A new permission or CRD changes the list.
				version = ""
				retry.Sleep(ctx, f.pauseAfter(err))
			}
		}
	}
}

// pauseAfter returns how long to wait after an answer that is likely to repeat. The first retries of a refusal
// come soon, since a server that has just started may refuse allowed requests for a moment.
func (f *feed) pauseAfter(err error) time.Duration {
	most := words.Choose(f.resource.optional, f.w.t.refusedOptional, f.w.t.refused)
	switch {
	case f.refusals > 0:
		return retry.WaitAfter(f.refusals, f.w.t.firstRetry, most)
	case apierrors.IsUnauthorized(err):
		return f.w.t.reopen
	case apierrors.IsNotFound(err) && !f.notServed:
		return f.w.t.againMax // ask soon again, to be sure
	}
	return f.w.t.refused
}

// listAll reads all objects and, after the last page, delivers the differences from before.
func (f *feed) listAll(ctx context.Context) (version string, err error) {
	opt := metav1.ListOptions{FieldSelector: f.resource.fields, Limit: f.w.t.page}
	next := map[model.Key]keptEntry{}
	for {
		list, err := f.listPage(ctx, opt)
		if apierrors.IsResourceExpired(err) && opt.Continue != "" {
			// The list expired between two pages: read it without pages.
			opt.Continue, opt.Limit = "", 0
			clear(next)
			continue
		}
		if err != nil {
			return "", &requestFailure{"list", err}
		}
		lm, err := meta.ListAccessor(list)
		if err != nil {
			return "", &requestFailure{"list", err}
		}
		err = meta.EachListItem(list, func(o runtime.Object) error {
			m, err := meta.Accessor(o)
			if err == nil && !f.have.keepUnchanged(next, m) {
				obj, broken := f.conv.ReadObject(o, f.have.lastObject(m))
				next[f.have.objectKey(m)] = newKeptEntry(m, obj, broken)
			}
			return nil
		})
		if err != nil {
			return "", &requestFailure{"list", err}
		}
		version = lm.GetResourceVersion()
		opt.Continue = lm.GetContinue()
		if opt.Continue == "" {
			break
		}
	}
	f.publishStep(f.have.replaceAll(next), true)
	return version, nil
}

func (f *feed) listPage(ctx context.Context, opt metav1.ListOptions) (runtime.Object, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.w.t.answer, ErrUnanswered)
	defer cancel()
	list, err := f.resource.list(ctx, f.w.c, opt)
	f.countRefusal(err)
	if f.resource.custom.Resource != "" && apierrors.IsForbidden(err) {
		// The server refuses a list before it checks whether the resource exists. Every user may ask whether
		// the CRD is installed.
		if has, e := f.w.c.ServesResource(ctx, f.resource.custom); e == nil && !has {
			err = apierrors.NewNotFound(f.resource.custom.GroupResource(), "")
		}
	}
	if err != nil && errors.Is(context.Cause(ctx), ErrUnanswered) {
		err = fmt.Errorf("%w within %s", ErrUnanswered, f.w.t.answer)
	}
	return list, err
}

// countRefusal counts an answer if it is a refusal.
func (f *feed) countRefusal(err error) {
	if !apierrors.IsForbidden(err) {
		return
	}
	if f.refusals == 0 {
		f.refusedSince = time.Now()
	}
	f.refusals++
}

// followFrom watches from a version and returns the newest known one; quick means the stream ended at once.
func (f *feed) followFrom(ctx context.Context, from string) (version string, quick bool, err error) {
	seconds := int64(300 + rand.IntN(300)) // ends streams that died silently
	start := time.Now()
	ws, err := f.resource.watch(ctx, f.w.c, metav1.ListOptions{FieldSelector: f.resource.fields, ResourceVersion: from,
		AllowWatchBookmarks: true, TimeoutSeconds: &seconds})
	f.refusedWatch = apierrors.IsForbidden(err)
	f.countRefusal(err)
	if err != nil {
		return from, false, &requestFailure{"watch", err}
	}
	defer ws.Stop()
	if reflect.TypeOf(ws) == reflect.TypeOf(watch.NewEmptyWatch()) {
		return from, false, &requestFailure{"watch", errClosed}
	}
	f.markFollowed()
	for {
		select {
		case <-ctx.Done():
			return from, false, nil
		case ev, ok := <-ws.ResultChan():
			if !ok {
				return from, time.Since(start) < time.Second, nil
			}
			if ev.Type == watch.Error {
				return from, false, &requestFailure{"watch", streamError(ev.Object)}
			}
			m, err := meta.Accessor(ev.Object)
			if err != nil {
				return "", false, &requestFailure{"watch", err}
			}
			from = m.GetResourceVersion()
			switch ev.Type {
			case watch.Added, watch.Modified:
				obj, broken := f.conv.ReadObject(ev.Object, f.have.lastObject(m))
				f.publishStep(f.have.putObject(m, obj, broken), false)
			case watch.Deleted:
				f.publishStep(f.have.dropObject(m), false)
			}
		}
	}
}

// errClosed replaces client-go's empty watch: the connection closed without an answer, so no stream was open.
// An example is a load balancer without an API server behind it.
var errClosed = errors.New("the connection ended before an answer")

// errBroken means an open connection ended while it was read.
var errBroken = errors.New("the connection to the API server broke off")

// brokenWords occur in errors of broken connections. HTTP/2 has no error values, and client-go passes on texts.
var brokenWords = []string{"client connection lost", "GOAWAY", "connection reset by peer", "broken pipe", "unexpected EOF",
	"use of closed network connection", "client connection force closed"}

// isBrokenConnection reports whether an error's text means a broken connection.
func isBrokenConnection(text string) bool {
	return text == errBroken.Error() || slices.ContainsFunc(brokenWords, func(w string) bool { return strings.Contains(text, w) })
}

// streamError returns the error of a watch's error event, which client-go also makes for a broken connection.
func streamError(o runtime.Object) error {
	err := apierrors.FromObject(o)
	if isBrokenConnection(err.Error()) {
		return errBroken
	}
	return err
}

// isExpired reports whether to list again: the watch's version is too old, or the resource is gone.
func isExpired(err error) bool {
	var f *requestFailure
	watching := errors.As(err, &f) && f.verb == "watch"
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || watching && apierrors.IsNotFound(err)
}

// requestFailure is a failed request.
type requestFailure struct {
	verb string
	err  error
}

func (f *requestFailure) Error() string { return f.verb + ": " + f.err.Error() }
func (f *requestFailure) Unwrap() error { return f.err }
