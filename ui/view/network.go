package view

import (
	"context"
	"strconv"

	"rung/model/words"
	"rung/revision"
	"rung/ui/nav"
)

// NetworkChoice is a page that can be shown as it stands on another network.
type NetworkChoice struct {
	// Now is the network that it is on, empty for the default one.
	Now string
	// Default says what the page is about without a network.
	Default string
	// Page is the same page on another.
	Page func(network string) nav.Page
}

// AskNetwork lets a network be chosen, and goes to the page on it. The pods of each are counted
// beside the screen.
func AskNetwork(env *Env, c NetworkChoice) {
	r := env.Rev
	env.Run("counting pods of networks", func(context.Context) any {
		d := networkDialog(r, c)
		return PreparedDialog(func(env *Env) { env.AskDialog(d) })
	})
}

func networkDialog(r *revision.Revision, c NetworkChoice) *ChoiceDialog {
	t, pods := r.Desired.Networks(), map[string]int{}
	for p := range r.Cluster.Pods() {
		for _, name := range t.NetworksOf(p) {
			pods[name]++
		}
	}
	names, at := append([]string{""}, t.Names()...), 0
	items := make([]ChoiceItem, len(names))
	for i, name := range names {
		if name == c.Now {
			at = i
		}
		if name == "" {
			items[i] = ChoiceItem{Key: "0", Text: revision.DefaultNetwork, Note: c.Default}
			continue
		}
		n, role := t.Network(name), "secondary"
		if n.Primary {
			role = "primary"
		}
		key := ""
		if i < 10 {
			key = strconv.Itoa(i)
		}
		items[i] = ChoiceItem{Key: key, Text: name, Note: role + ", " + n.Topology.Words() + ", " + words.Count(pods[name], "pod")}
	}
	d := &ChoiceDialog{Title: "show on which network", Items: items, Done: func(env *Env, i int) {
		switch to := c.Page(names[i]); {
		case names[i] == c.Now:
		case names[i] == "" || c.Now == "":
			env.OpenPage(to)
		default: // esc goes back to the default one, not through all that were looked at
			env.ReplacePage(to)
		}
	}}
	return d.StartAt(at)
}

// RevisionOn is a revision as it stands on a network, by itself on the default one. It may take
// a while.
func RevisionOn(r *revision.Revision, network string) (*revision.Revision, error) {
	if network == "" {
		return r, nil
	}
	if on := revision.OnNetwork(r, network); on != nil {
		return on, nil
	}
	return nil, revision.ErrorNoNetwork(r, network)
}

// OnNetwork is the network of a page that shows a revision as it stands there, which is worked out
// beside the screen.
type OnNetwork struct {
	Name string // empty for the default one
	// Prepare works out what the page asks of a revision, beside the screen; nil for nothing.
	Prepare func(*revision.Revision)

	work   LatestWork
	of, on *revision.Revision
	err    error
}

// RevisionNow is the newest revision as it stands on the network, nil before the first.
func (o *OnNetwork) RevisionNow(env *Env) *revision.Revision {
	if o.Name == "" {
		return env.Rev
	}
	if o.of != env.Rev && !o.work.IsUnderWay() {
		r, name, prepare := env.Rev, o.Name, o.Prepare
		o.of = r
		BeginWork(&o.work, env, "reading network "+name, func(context.Context) (*revision.Revision, error) {
			on, err := RevisionOn(r, name)
			if err == nil && prepare != nil {
				prepare(on)
			}
			return on, err
		})
	}
	return o.on
}

// TakeResult takes what was worked out; false for all else.
func (o *OnNetwork) TakeResult(msg any) bool {
	on, err, ok := TakeResult[*revision.Revision](&o.work, msg)
	if ok {
		o.on, o.err = on, err
	}
	return ok
}

// WaitText says why there is nothing yet.
func (o *OnNetwork) WaitText() string {
	if o.err != nil {
		return o.err.Error()
	}
	return "reading what stands on " + o.Name + " …"
}
