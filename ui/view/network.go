package view

import (
	"context"
	"strconv"

	"rung/model/words"
	"rung/revision"
	"rung/ui/nav"
)

// NetworkChoice describes a page that can be shown on another network.
type NetworkChoice struct {
	// Now is the current network, or empty for the default one.
	Now string
	// Default describes the page on the default network.
	Default string
	// Page returns the same page on another network.
	Page func(network string) nav.Page
}

// AskNetwork asks for a network and opens the page on it. The pods of each are counted in a goroutine.
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
		for _, name := range t.PodNetworks(p) {
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
		key := words.Choose(i < 10, strconv.Itoa(i), "")
		items[i] = ChoiceItem{Key: key, Text: name, Note: role + ", " + n.Topology.Words() + ", " + words.Count(pods[name], "pod")}
	}
	d := &ChoiceDialog{Title: "show on which network", Items: items, Done: func(env *Env, i int) {
		switch to := c.Page(names[i]); {
		case names[i] == c.Now:
		case names[i] == "" || c.Now == "":
			env.OpenPage(to)
		default: // esc goes back to the default network, not through all visited ones
			env.ReplacePage(to)
		}
	}}
	return d.StartAt(at)
}

// RevisionOn returns a revision as seen on a network; r itself on the default one. It may take a while.
func RevisionOn(r *revision.Revision, network string) (*revision.Revision, error) {
	if network == "" {
		return r, nil
	}
	if on := revision.OnNetwork(r, network); on != nil {
		return on, nil
	}
	return nil, revision.ErrorNoNetwork(r, network)
}

// OnNetwork prepares revisions as seen on a page's network, in a goroutine.
type OnNetwork struct {
	Name string // empty for the default network
	// Prepare computes what the page needs of a revision, in a goroutine; nil for nothing.
	Prepare func(*revision.Revision)

	work       LatestWork
	source, on *revision.Revision
	err        error
}

// RevisionNow returns the newest revision on the network, nil before the first is ready.
func (o *OnNetwork) RevisionNow(env *Env) *revision.Revision {
	if o.Name == "" {
		return env.Rev
	}
	if o.source != env.Rev && !o.work.IsUnderWay() {
		r, name, prepare := env.Rev, o.Name, o.Prepare
		o.source = r
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

// TakeResult takes a prepared revision; false for any other message.
func (o *OnNetwork) TakeResult(msg any) bool {
	on, err, ok := TakeResult[*revision.Revision](&o.work, msg)
	if ok {
		o.on, o.err = on, err
	}
	return ok
}

// WaitText says why there is no revision yet.
func (o *OnNetwork) WaitText() string {
	if o.err != nil {
		return o.err.Error()
	}
	return "reading network " + o.Name + " …"
}
