package view_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/ui/nav"
	"rung/ui/uitest"
	"rung/ui/view"
)

// levels is what the last preview that was asked for sets.
func ask(t *testing.T, k model.PolicyKey, keys ...string) (calls string, s *uitest.Screen) {
	t.Helper()
	s = uitest.Open(t, uitest.Demo(t), nav.ToPolicy(k))
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
		t.Errorf("esc asked for %q\n%s", calls, s.Frame())
	}
	// A baseline has no Pass.
	_, s = ask(t, model.PolicyKey{Kind: model.KindBANP, Name: "default"})
	s.Want("Deny", "Allow")
	s.WantNot("Pass  ")
}

func TestAskLoggingRefuses(t *testing.T) {
	p := uitest.Demo(t)
	f := uitest.NewFake(p)
	env := &view.Env{Console: f, Rev: f.Revision()}
	for _, k := range []model.PolicyKey{{Kind: model.KindANP, Name: "nobody"}, {Kind: model.KindNP, Namespace: "blue", Name: "x"}} {
		view.AskLogging(env, k)
		asks := env.Take()
		if toast, ok := asks[0].(view.ToastAsk); !ok || !toast.Bad {
			t.Errorf("%v: %+v", k, asks)
		}
	}
}
