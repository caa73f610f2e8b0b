package action

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// hotkeyPrefix starts the ids of hotkey actions, as in the configuration.
const hotkeyPrefix = "hotkeys."

// AddHotkeys gives keys to texts of the palette: "f5" to "trace blue/api-0 web-0 80". A hotkey never replaces
// an action's key on any page: such hotkeys are reported and left out. Hotkeys are not in the palette, which
// finds their text anyway.
func (m *Keymap) AddHotkeys(hotkeys map[string]string) (report []KeyProblem) {
	var added []Action
	for _, key := range slices.Sorted(maps.Keys(hotkeys)) {
		id, text := ID(hotkeyPrefix+key), strings.TrimSpace(hotkeys[key])
		say := func(format string, args ...any) {
			report = append(report, KeyProblem{id, fmt.Sprintf(format, args...)})
		}
		k, ok := NormalKey(key)
		holder := m.keyHolder(k)
		switch {
		case !ok:
			say("%q is not a key (allowed: %s)", key, keyHelp)
		case holder != nil:
			say("%q is the key of %s (allowed: keys that no action has, such as f5)", k, holder.ID)
		case text == "":
			say("no command (allowed: a command of the palette, such as findings)")
		default:
			added = append(added, Action{ID: id, Scope: Global, Keys: []string{k}, Title: text, Help: "hotkey: " + text, Hidden: true})
		}
	}
	m.actions = append(m.actions, added...)
	for i := range m.actions { // appending moved the actions in memory
		a := &m.actions[i]
		m.byID[a.ID] = a
		for _, k := range a.Keys {
			m.byKey[a.Scope][k] = a
		}
	}
	return report
}

// keyHolder returns an action that has the key on some page, nil if none.
func (m *Keymap) keyHolder(key string) *Action {
	for i := range m.actions {
		if a := &m.actions[i]; a.Scope != Input && slices.Contains(a.Keys, key) {
			return a
		}
	}
	return nil
}

// HotkeyText returns the palette text of a hotkey action; ok is false for other actions.
func (a *Action) HotkeyText() (text string, ok bool) {
	return a.Title, strings.HasPrefix(string(a.ID), hotkeyPrefix)
}
