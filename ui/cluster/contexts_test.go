package cluster_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// cluster is a console on a cluster with three contexts.
func cluster(t *testing.T, name string) *uitest.Fake {
	t.Helper()
	p := uitest.DemoFacts(t)
	p.Mode = revision.Mode{Name: revision.ClusterMode, Title: name, Server: "https://" + name + ".example:6443"}
	f := uitest.NewFake(p)
	f.ContextNames, f.Current = []string{"dead", "prod-eu", "staging"}, name
	return f
}

func TestFrames(t *testing.T) {
	s := uitest.OpenWith(t, cluster(t, "prod-eu"), ui.Options{Page: nav.NewPage(nav.Contexts)})
	s.Golden("contexts")
}

func TestSwitch(t *testing.T) {
	var asked []string
	opt := ui.Options{Switch: func(_ context.Context, name string) (ui.Console, error) {
		asked = append(asked, name)
		if name == "dead" {
			return nil, errors.New("context dead: no such user")
		}
		return cluster(t, name), nil
	}}
	s := uitest.OpenWith(t, cluster(t, "prod-eu"), opt)
	s.Press("C", "g", "enter") // dead cannot be opened
	s.Want("still on prod-eu: context dead: no such user")
	s.Press("G", "enter")
	s.Want("on context staging", "READ-ONLY")
	s.Press("C", "enter")
	s.Want("already on staging")
	if want := []string{"dead", "staging"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
}

func TestNowhereToGo(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	f.ContextsErr = errors.New("read the kubeconfig: no such file")
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Contexts)})
	s.Want("read the kubeconfig: no such file")
	s.Press("enter")
	s.Want("nothing to open here")
}
