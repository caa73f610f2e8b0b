package engine

import (
	"context"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"rung/model/words"
)

// Handler serves /metrics, /healthz and /readyz.
func (m *Health) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.Registry(),
		promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	answer := func(w http.ResponseWriter, err error, checks ...string) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		for _, line := range checks {
			_, _ = fmt.Fprintln(w, words.CleanText(line))
		}
		if err != nil {
			_, _ = fmt.Fprintln(w, words.CleanText(err.Error()))
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), healthTimeout)
		defer cancel()
		answer(w, m.loop.WaitAnswer(ctx))
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		err := m.Ready()
		if !r.URL.Query().Has("verbose") {
			answer(w, err)
			return
		}
		answer(w, err, m.ReadyChecks()...)
	})
	return mux
}
