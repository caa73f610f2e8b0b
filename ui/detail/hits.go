package detail

import (
	"rung/engine/logs"
	"rung/ui/view"
)

// Hits are how often rules decided, by their log lines; nil where there is no log.
func Hits(env *view.Env) *logs.Summary {
	l := env.Console.Logs()
	if l == nil {
		return nil
	}
	m := env.Rev.Mode
	return l.Summary(m.Simulated || m.Packets)
}

// FreshHits says whether hits are others than those shown.
func FreshHits(env *view.Env, shown *logs.Summary) bool { return shown != nil && Hits(env) != shown }
