package zones

import (
	"rung/pages/zones"
	"rung/ui/view"
)

// lose adds the losses of ACLs up by zone, once a second.
func (v *pane) lose(env *view.Env) {
	l := env.Console.Logs()
	if now := env.Now.Unix(); l == nil || now == v.lossesAt {
		return
	}
	v.lossesAt, v.losses = env.Now.Unix(), map[string]*zones.Loss{}
	for _, x := range l.Losses() {
		if !x.Loses() && x.Lost == 0 {
			continue
		}
		z := v.losses[x.Zone]
		if z == nil {
			z = &zones.Loss{Counted: true}
			v.losses[x.Zone] = z
		}
		z.Now, z.Lines, z.Counted = z.Now || x.Loses(), z.Lines+x.Lost, z.Counted && x.Counted
	}
}
