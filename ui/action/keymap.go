package action

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Keymap finds the action of a key. It is made once from the table and the user's overrides.
type Keymap struct {
	actions []Action
	byID    map[ID]*Action
	byKey   map[Scope]map[string]*Action
}

// alwaysQuit cannot be reassigned: a way out must remain.
const alwaysQuit = "ctrl+c"

// KeyProblem describes an error in the keys given to an action.
type KeyProblem struct {
	ID   ID
	What string
}

// Setting returns the wrong setting of the configuration.
func (p KeyProblem) Setting() string {
	if strings.HasPrefix(string(p.ID), hotkeyPrefix) {
		return string(p.ID)
	}
	return "keys." + string(p.ID)
}

// String returns the setting with its error.
func (p KeyProblem) String() string { return p.Setting() + ": " + p.What }

// keyHelp describes how to write keys.
const keyHelp = "a character, enter, tab, space, esc, up, home, pgup, delete, f1 and the like, with ctrl+, alt+ or shift+ before it"

// NoSeek says what replaces the removed key that went to a time in log files.
const NoSeek = "filter by time, as since:14:05 until:14:10, or run rung logs --log PATH --since TIME"

// NewKeymap applies overrides (action id to keys) to the defaults. Wrong overrides are reported and the others
// apply: an unknown id, an invalid key, a key of two actions in one scope (the overridden action keeps it), a
// key of a view that hides a global one.
func NewKeymap(overrides map[string][]string) (*Keymap, []KeyProblem) {
	m := &Keymap{actions: ScopedActions(), byID: map[ID]*Action{}, byKey: map[Scope]map[string]*Action{}}
	var report []KeyProblem
	say := func(id ID, format string, args ...any) {
		report = append(report, KeyProblem{id, fmt.Sprintf(format, args...)})
	}
	for i := range m.actions {
		m.byID[m.actions[i].ID] = &m.actions[i]
	}
	changed := map[ID]bool{}
	for _, id := range slices.Sorted(maps.Keys(overrides)) {
		a := m.byID[ID(id)]
		if id == "logs.seek" {
			say(ID(id), "removed: %s", NoSeek)
			continue
		}
		if a == nil {
			say(ID(id), "no such action (allowed: those in docs/keys.md)")
			continue
		}
		a.Keys = nil
		for _, k := range overrides[id] {
			switch k, ok := NormalKey(k); {
			case !ok:
				say(a.ID, "%q is not a key (allowed: %s)", k, keyHelp)
			case k == alwaysQuit && a.ID != Quit:
				say(a.ID, "ctrl+c always quits; it cannot do anything else")
			case a.Scope == Input && (k == "space" || len([]rune(k)) == 1):
				say(a.ID, "%q is typed into the line (allowed: keys that type nothing)", k)
			case !slices.Contains(a.Keys, k):
				a.Keys = append(a.Keys, k)
			}
		}
		changed[a.ID] = true
	}
	if q := m.byID[Quit]; !slices.Contains(q.Keys, alwaysQuit) {
		q.Keys = append(q.Keys, alwaysQuit)
	}
	// The user's keys are assigned first and win.
	for _, mine := range []bool{true, false} {
		for i := range m.actions {
			a := &m.actions[i]
			if changed[a.ID] != mine {
				continue
			}
			keys := m.byKey[a.Scope]
			if keys == nil {
				keys = map[string]*Action{}
				m.byKey[a.Scope] = keys
			}
			var left []string
			for _, k := range a.Keys {
				if o := keys[k]; o != nil {
					id := a.ID
					if !mine {
						id = o.ID // the user's override
					}
					say(id, "%q is wanted by %s and %s; %s keeps it", k, o.ID, a.ID, o.ID)
					continue
				}
				keys[k] = a
				left = append(left, k)
			}
			a.Keys = left
		}
	}
	for id := range changed {
		a := m.byID[id]
		for _, k := range a.Keys {
			if o := m.byKey[Global][k]; o != nil && a.Scope != Global && a.Scope != Input {
				say(a.ID, "%q hides %s on this page (%s)", k, o.ID, a.Scope)
			}
		}
	}
	slices.SortFunc(report, func(a, b KeyProblem) int { return strings.Compare(a.String(), b.String()) })
	return m, report
}

// Other names of modifiers and keys that people use.
var (
	modifierNames = map[string]string{"control": "ctrl", "^": "ctrl", "option": "alt", "opt": "alt"}
	keyNames      = map[string]string{"return": "enter", "escape": "esc", "pageup": "pgup", "pagedown": "pgdown", "del": "delete"}
)

// NormalKey converts a key as people write it to Bubble Tea's spelling; ok is false if it is not a key.
func NormalKey(k string) (string, bool) {
	k = strings.TrimSpace(k)
	if k == "" {
		return k, false
	}
	if len([]rune(k)) == 1 {
		return k, true
	}
	parts := strings.Split(strings.ToLower(k), "+")
	last := cmp.Or(keyNames[parts[len(parts)-1]], parts[len(parts)-1])
	for i, p := range parts[:len(parts)-1] {
		parts[i] = cmp.Or(modifierNames[p], p)
		if !slices.Contains([]string{"ctrl", "alt", "shift", "meta", "super", "hyper"}, parts[i]) {
			return k, false
		}
	}
	named := []string{"enter", "tab", "backspace", "esc", "space", "up", "down", "left", "right", "insert", "delete",
		"home", "end", "pgup", "pgdown"}
	if len([]rune(last)) != 1 && !slices.Contains(named, last) && !isFunctionKey(last) {
		return k, false
	}
	parts[len(parts)-1] = last
	if len(parts) == 2 && parts[0] == "shift" && len(last) == 1 {
		return strings.ToUpper(last), true // terminals send the letter
	}
	return strings.Join(parts, "+"), true
}

func isFunctionKey(k string) bool {
	var n int
	_, err := fmt.Sscanf(k, "f%d", &n)
	return err == nil && n >= 1 && n <= 20 && k == fmt.Sprintf("f%d", n)
}

// LookupKey returns the action of a key in the first scope that has it; nil for none.
func (m *Keymap) LookupKey(scopes []Scope, key string) *Action {
	for _, s := range scopes {
		if a := m.byKey[s][key]; a != nil {
			return a
		}
	}
	return nil
}

// ActionByID returns an action or nil.
func (m *Keymap) ActionByID(id ID) *Action { return m.byID[id] }

// ActionsIn lists the actions of the scopes in their order; a key taken by an earlier scope is left out of
// later actions.
func (m *Keymap) ActionsIn(scopes []Scope) []Action {
	n := 0
	for j := range m.actions {
		if slices.Contains(scopes, m.actions[j].Scope) {
			n++
		}
	}
	out := make([]Action, 0, n) // called for every frame
	for i, s := range scopes {
		for j := range m.actions {
			if m.actions[j].Scope != s {
				continue
			}
			a := m.actions[j]
			if taken := func(k string) bool { return m.LookupKey(scopes[:i], k) != nil }; slices.ContainsFunc(a.Keys, taken) {
				a.Keys = slices.DeleteFunc(slices.Clone(a.Keys), taken)
			}
			out = append(out, a)
		}
	}
	return out
}

// AllActions lists every action with its current keys.
func (m *Keymap) AllActions() []Action { return m.actions }

// keySigns maps keys to their signs.
var keySigns = map[string]string{"enter": "⏎", "up": "↑", "down": "↓", "left": "←", "right": "→"}

// KeyLabel returns a key for display: "⏎" for enter, "space", "ctrl+p".
func KeyLabel(key string) string { return cmp.Or(keySigns[key], key) }

// HintKey returns the key of an action for hints, or empty without one.
func (a *Action) HintKey() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return a.ShownKey(a.Keys[0])
}

// ShownKey returns one of the action's keys for display.
func (a *Action) ShownKey(key string) string {
	if a.plain {
		return key
	}
	return KeyLabel(key)
}

// SetPlain shows keys by name: "enter" instead of a sign.
func (m *Keymap) SetPlain() {
	for i := range m.actions {
		m.actions[i].plain = true
	}
}
