package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
	"rung/ui/view"
)

// levels is what the last preview that was asked for sets.
func ask(t *testing.T, k model.PolicyKey, keys ...string) (calls string, s *uitest.Screen) {
	t.Helper()
	s = uitest.OpenScreen(t, uitest.DemoFacts(t), nav.ToPolicy(k))
	s.Press("L")
	s.Press(keys...)
	return strings.Join(s.Console.Calls, "; "), s
}

func TestAskLogging(t *testing.T) {
	off := model.PolicyKey{Kind: model.KindANP, Name: "blue-tenant"}
	_, s := ask(t, off)
	// Off now: the usual wish is offered, and enter takes it.
	s.Want("log ANP blue-tenant", "Now: off", "Deny  [off]", "▸Allow  off [alert]", "Pass  [off]", "a all alert", "no rule", "2 rules")
	for name, c := range map[string]struct {
		keys []string
		want []string
	}{
		"all":    {[]string{"a"}, []string{"Deny   off [alert]", "Allow  off [alert]", "Pass   off [alert]"}},
		"notice": {[]string{"n"}, []string{"[notice]"}},
		"none":   {[]string{"a", "o"}, []string{"Deny  [off]", "Allow [off]"}},
		"digit":  {[]string{"2"}, []string{"Allow  off  alert [warning]"}},
		"arrows": {[]string{"up", "right", "right", "left"}, []string{"▸Deny   off [alert]"}},
		"round":  {[]string{"down", "left"}, []string{"▸Pass   off  alert  warning  notice  info [debug]"}},
		"denies": {[]string{"a", "d"}, []string{"Deny   off [alert]", "Allow [off]"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := ask(t, off, c.keys...)
			s.Want(c.want...)
		})
	}
	if calls, _ := ask(t, off, "a", "enter"); calls != "preview log-level blue-tenant" {
		t.Errorf("enter asked for %q", calls)
	}
	if calls, s := ask(t, off, "esc"); calls != "" {
		t.Errorf("esc asked for %q\n%s", calls, s.PlainFrame())
	}
	// For 15 minutes, unless another time is chosen; the row above the first is the time.
	_, s = ask(t, off, "up", "up")
	s.Want("▸for    5 min [15 min] 1 h", "permanently")
	for _, c := range []struct {
		keys []string
		want change.Mutation
	}{
		{nil, change.Mutation{Session: true, SessionTime: 15 * time.Minute, Levels: model.LogLevels{Allow: "alert"}}},
		{[]string{"up", "up", "left"}, change.Mutation{Session: true, SessionTime: 5 * time.Minute, Levels: model.LogLevels{Allow: "alert"}}},
		{[]string{"up", "up", "right", "right", "right"}, change.Mutation{Session: true, Levels: model.LogLevels{Allow: "alert"}}},
		{[]string{"up", "up", "left", "left"}, change.Mutation{Levels: model.LogLevels{Allow: "alert"}}},
		{[]string{"o"}, change.Mutation{SessionTime: 15 * time.Minute}},
	} {
		p := uitest.DemoFacts(t)
		s := uitest.OpenScreen(t, p, nav.ToPolicy(off))
		var got change.Mutation
		s.Console.OnPreview = func(m change.Mutation) (*gate.Preview, error) {
			got = m
			return &gate.Preview{Mutation: m, Title: "x"}, nil
		}
		s.Press(append(append([]string{"L"}, c.keys...), "enter")...)
		c.want.Op, c.want.Policy = change.OpLogLevel, off
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v (-want +got)\n%s", c.keys, diff)
		}
	}
	// A baseline has no Pass.
	_, s = ask(t, model.PolicyKey{Kind: model.KindBANP, Name: "default"})
	s.Want("Deny", "Allow")
	s.WantNot("Pass  ")
}

// Several are one question: * selects on the ladder, a NetworkPolicy for its namespace.
func TestAskLoggingOfSeveral(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
	var got change.Mutation
	s.Console.OnPreview = func(m change.Mutation) (*gate.Preview, error) {
		got = m
		return &gate.Preview{Mutation: m, Title: "x"}, nil
	}
	s.Press("*")
	s.Want("1 selected: L applies to it", "* ")
	s.Press("down", "down", "*", "down", "L") // from a line where no policy is
	s.Want("[15 min]", "a all alert")
	s.WantNot("Now:")
	s.Press("d", "enter")
	if len(got.Policies) != 2 || got.Policies[0] == got.Policies[1] || got.Policy.Name != "" || !got.Session || got.Levels.Deny != "alert" {
		t.Errorf("%+v", got)
	}
	// What was selected is no longer; a second * takes a selection away.
	s = uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
	s.Press("*", "*")
	s.Want("nothing is selected")
}

func TestAskLoggingRefuses(t *testing.T) {
	p := uitest.DemoFacts(t)
	f := uitest.NewFake(p)
	env := &view.Env{Console: f, Rev: f.Revision()}
	for _, k := range []model.PolicyKey{{Kind: model.KindANP, Name: "nobody"}, {Kind: model.KindNP, Namespace: "blue", Name: "x"}} {
		view.AskLogging(env, k)
		asks := env.TakeAsks()
		if toast, ok := asks[0].(view.ToastAsk); !ok || !toast.Bad {
			t.Errorf("%v: %+v", k, asks)
		}
	}
}
