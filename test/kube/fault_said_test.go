package kube_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"rung/test/servers"
	"rung/test/wait"
)

// saidWithin is how long a source may be down before the screen says so: a watch
// that brings nothing is asked after some seconds and waited for some more.
const saidWithin = 40 * time.Second

// outage is a source that is down until the screen has said so.
type outage struct {
	what      string
	page      string // key of the page that is looked at
	begin     func() error
	end       func() error
	said      *regexp.Regexp // with the age as its group
	recovered *regexp.Regexp
}

func (w *faultWorld) outages(ctx context.Context) []outage {
	api := regexp.MustCompile(`■ ` + `admin lost, read (\d+)s ago`)
	zone := func(name string) *regexp.Regexp { return regexp.MustCompile(name + ` +lost +\S+ +(\d+)s ago`) }
	fine := regexp.MustCompile(`2 zones ●●`)
	return []outage{
		{"API server killed", "1", w.c.KillAPI, func() error { return w.c.StartAPI(ctx) }, api, fine},
		{"API server stalled", "1", w.c.StopAPI, w.c.ContAPI, api, fine},
		{"ovsdb-server stalled", "3", func() error { return servers.Stop(w.z.Endpoints()["n1"]) }, func() error { return servers.Cont(w.z.Endpoints()["n1"]) }, zone("n1"), regexp.MustCompile(`n1 +synced`)},
	}
}

// said makes an outage: the screen names the source and its age, which grows,
// and has recovered by itself some time after the end. Nobody else uses the
// screen meanwhile.
func (w *faultWorld) said(p *presser, o outage) (toSaid, toRecovered time.Duration, err error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.home()
	if err := w.screen.Terminal.Press(o.page); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := o.begin(); err != nil {
		return 0, 0, err
	}
	_, err = w.screen.Terminal.WaitMatch(o.said, saidWithin)
	toSaid = time.Since(began)
	age := func() string {
		if m := o.said.FindStringSubmatch(w.screen.Screen()); m != nil {
			return m[1]
		}
		return ""
	}
	if first := age(); err == nil && !wait.Poll(5*time.Second, func() bool { now := age(); return now != "" && now != first }) {
		err = fmt.Errorf("the age stays at %ss\n%s", first, w.screen.Frame().Boxed())
	}
	began = time.Now()
	if err := errors.Join(err, o.end()); err != nil {
		return 0, 0, err
	}
	_, err = w.screen.Terminal.WaitMatch(o.recovered, patience)
	if err == nil {
		err = w.recovered()
	}
	return toSaid, time.Since(began), err
}

// recovered waits until the header says of nothing that it is lost.
func (w *faultWorld) recovered() error {
	if !wait.Poll(patience, func() bool {
		head := w.screen.Terminal.Line(0)
		return strings.Contains(head, "2 zones ●●") && !strings.Contains(head, " lost")
	}) {
		return fmt.Errorf("within %v after a fault the screen has not recovered\n%s", patience, w.screen.Frame().Boxed())
	}
	return nil
}
