package logs

import (
	"fmt"
	"slices"

	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/ui/view"
	"rung/ui/widget"
)

// streamLine says of how many nodes the logs are followed, and what keeps the
// others away; nil where lines do not come from a cluster.
func (v *sources) streamLine(env *view.Env) widget.Line {
	st := env.Styles
	switch {
	case env.Rev.Mode.Name != revision.ClusterMode:
		return nil
	case len(v.streams) == 0:
		return widget.Styled(" ○ no node's log is followed yet", st.Info)
	}
	by := map[logline.StreamState][]string{}
	var order []logline.StreamState
	for i := range v.streams {
		s := &v.streams[i]
		if by[s.State] == nil {
			order = append(order, s.State)
		}
		by[s.State] = append(by[s.State], s.Zone)
	}
	text := fmt.Sprintf("%d of %s followed", len(by[logline.StreamOpen]), words.Total(uint64(len(v.streams)), "node"))
	if len(order) == 1 && order[0] == logline.StreamOpen {
		return widget.Styled(" ● ", st.OK).Add(text, st.Dim)
	}
	l := widget.Styled(" ▲ "+text, st.Warn)
	slices.Sort(order)
	for _, s := range order {
		if s != logline.StreamOpen {
			l = l.Add(" · "+string(s)+": "+words.Few(by[s], 2), st.Warn)
		}
	}
	return l
}

// missing counts the gaps, and the lines that were too long.
func (v *sources) missing() (gaps, long uint64) {
	for i := range v.streams {
		gaps += v.streams[i].Gaps
		long += v.streams[i].TooLong
	}
	for i := range v.place.files {
		gaps += v.place.files[i].Gaps
		long += v.place.files[i].TooLong
	}
	return gaps, long
}
