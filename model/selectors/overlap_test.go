package selectors

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

func TestExcludes(t *testing.T) {
	parse := func(s string) model.Selector {
		if s == "none" {
			return model.Selector{}
		}
		return made.Sel(s)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", false},
		{"", "tenant=blue", false},
		{"none", "", true},
		{"tenant=blue", "tenant=green", true},
		{"tenant=blue", "tenant=blue", false},
		{"tenant=blue", "env=prod", false},
		{"tenant in (blue,green)", "tenant in (green,red)", false},
		{"tenant in (blue,green)", "tenant in (red)", true},
		{"tenant in (blue,green)", "tenant notin (blue,green)", true},
		{"tenant in (blue,green)", "tenant notin (blue)", false},
		{"tenant notin (blue)", "tenant notin (green)", false},
		{"tenant", "!tenant", true},
		{"tenant=blue", "!tenant", true},
		{"!tenant", "!tenant", false},
		{"tenant notin (blue)", "!tenant", false},
		{"tenant in (blue,green),tenant notin (blue)", "tenant=blue", true},
	} {
		a, b := parse(c.a), parse(c.b)
		if got := a.ExcludesSelector(b); got != c.want {
			t.Errorf("%q excludes %q: %v", c.a, c.b, got)
		}
		if got := b.ExcludesSelector(a); got != c.want {
			t.Errorf("%q excludes %q: %v", c.b, c.a, got)
		}
	}
}

func TestWholeFamilies(t *testing.T) {
	for _, c := range []struct {
		in, want []string
	}{
		{nil, nil},
		{[]string{"10.0.0.0/8"}, nil},
		{[]string{"0.0.0.0/0"}, []string{"0.0.0.0/0"}},
		{[]string{"1.2.3.4/0"}, []string{"0.0.0.0/0"}},
		{[]string{"::/0", "0.0.0.0/0"}, []string{"0.0.0.0/0", "::/0"}},
		{[]string{"0.0.0.0/1", "128.0.0.0/1"}, []string{"0.0.0.0/0"}},
		{[]string{"0.0.0.0/1", "128.0.0.0/2"}, nil},
		{[]string{"0.0.0.0/1", "128.0.0.0/2", "192.0.0.0/2"}, []string{"0.0.0.0/0"}},
		{[]string{"::/1", "8000::/1", "nonsense"}, []string{"::/0"}},
		{[]string{"0.0.0.0/32", "0.0.0.1/32"}, nil},
		{[]string{"::ffff:0.0.0.0/96"}, nil},
	} {
		if diff := cmp.Diff(c.want, WholeFamilies(c.in)); diff != "" {
			t.Errorf("%v: %s", c.in, diff)
		}
	}
}

func TestPortsCover(t *testing.T) {
	tcp := func(from, to int32) model.Port { return model.Port{Protocol: "TCP", Start: from, End: to} }
	named := model.Port{Name: "web"}
	for _, c := range []struct {
		by, what    []model.Port
		covers, may bool
	}{
		{nil, nil, true, true},
		{nil, []model.Port{tcp(80, 80)}, true, true},
		{[]model.Port{tcp(80, 80)}, nil, false, true},
		{[]model.Port{tcp(1, 100)}, []model.Port{tcp(80, 80)}, true, true},
		{[]model.Port{tcp(1, 100), tcp(101, 200)}, []model.Port{tcp(80, 150)}, true, true},
		{[]model.Port{tcp(1, 100), tcp(102, 200)}, []model.Port{tcp(80, 150)}, false, true},
		{[]model.Port{tcp(80, 80)}, []model.Port{tcp(81, 81)}, false, false},
		{[]model.Port{tcp(80, 80)}, []model.Port{{Protocol: "UDP", Start: 80, End: 80}}, false, false},
		{[]model.Port{named}, []model.Port{named}, true, true},
		{[]model.Port{named}, []model.Port{tcp(80, 80)}, false, true},
		{[]model.Port{tcp(1, 65535)}, []model.Port{named}, false, true},
		// OVN-Kubernetes knows capitals only: such a port is none.
		{nil, []model.Port{{Protocol: "tcp", Start: 80, End: 80}}, true, false},
		{[]model.Port{{Protocol: "tcp", Start: 80, End: 80}}, []model.Port{{Protocol: "tcp", Start: 80, End: 80}}, true, false},
		{[]model.Port{{Protocol: "kube", Start: 1, End: 100}, tcp(80, 80)}, []model.Port{tcp(80, 80), {Protocol: "kube", Start: 7, End: 7}}, true, true},
		{[]model.Port{{Protocol: "kube", Start: 1, End: 100}, tcp(80, 80)}, []model.Port{tcp(81, 81), {Protocol: "kube", Start: 7, End: 7}}, false, false},
	} {
		if got := newPortSet(c.by).coversAll(newPortSet(c.what)); got != c.covers {
			t.Errorf("%v covers %v: %v", c.by, c.what, got)
		}
		if got := newPortSet(c.by).mayMeet(newPortSet(c.what)); got != c.may {
			t.Errorf("%v may meet %v: %v", c.by, c.what, got)
		}
	}
}
