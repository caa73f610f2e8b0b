//go:build unix

package streaming

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	wire "k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	utilexec "k8s.io/client-go/util/exec"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/streaming/pkg/httpstream/wsstream"
)

// serveExec is the API server's part of an exec: SPDY goes to the kubelet as it
// is, a WebSocket is translated.
func (s *Server) serveExec(w http.ResponseWriter, r *http.Request) {
	verb, way := "create", "spdy"
	if wsstream.IsWebSocketRequest(r) {
		way = "websocket"
	}
	if !s.allowed(w, verb, "pods/exec", r.PathValue("pod")) {
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, "exec "+way)
	spdyOnly := s.spdyOnly
	p := s.pods[r.PathValue("ns")+"/"+r.PathValue("pod")]
	s.mu.Unlock()
	q := r.URL.Query()
	container := q.Get("container")
	switch {
	case spdyOnly && way == "websocket":
		refuse(w, apierrors.NewBadRequest("Upgrade request required"))
		return
	case p == nil:
		refuse(w, apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, r.PathValue("pod")))
		return
	case !p.runs(container):
		refuse(w, apierrors.NewBadRequest("container "+container+" is not valid for pod "+p.object.Name))
		return
	}
	answer, err := s.streams.GetExec(&runtimeapi.ExecRequest{
		ContainerId: p.object.Namespace + "/" + p.object.Name + "/" + container, Cmd: q["command"],
		Stdin: q.Get("stdin") == "true", Stdout: q.Get("stdout") == "true", Stderr: q.Get("stderr") == "true",
	})
	if err != nil {
		refuse(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	kubelet, err := url.Parse(answer.GetUrl())
	if err != nil {
		refuse(w, apierrors.NewInternalError(err))
		return
	}
	if way == "spdy" {
		r.URL, r.RequestURI = kubelet, ""
		s.streams.ServeHTTP(w, r)
		return
	}
	translate(w, r, kubelet, q)
}

func (p *pod) runs(container string) bool {
	for i := range p.object.Spec.Containers {
		if p.object.Spec.Containers[i].Name == container {
			return true
		}
	}
	return false
}

// translate carries an exec from a client's WebSocket to the kubelet's SPDY, as
// the API server does.
func translate(w http.ResponseWriter, r *http.Request, kubelet *url.URL, q url.Values) {
	channels := make([]wsstream.ChannelType, wire.StreamResize+1)
	for i, on := range []bool{q.Get("stdin") == "true", q.Get("stdout") == "true", q.Get("stderr") == "true", true, false} {
		switch {
		case !on:
			channels[i] = wsstream.IgnoreChannel
		case i == wire.StreamStdIn:
			channels[i] = wsstream.ReadChannel
		default:
			channels[i] = wsstream.WriteChannel
		}
	}
	conn := wsstream.NewConn(map[string]wsstream.ChannelProtocolConfig{wire.StreamProtocolV5Name: {Binary: true, Channels: channels}})
	_, streams, err := conn.Open(w, r)
	if err != nil {
		return // the library has answered
	}
	defer conn.Close()
	executor, err := remotecommand.NewSPDYExecutor(&rest.Config{Host: kubelet.Host}, "POST", kubelet)
	if err == nil {
		err = executor.StreamWithContext(r.Context(), remotecommand.StreamOptions{
			Stdin: reader(channels, streams), Stdout: writer(channels, streams, wire.StreamStdOut), Stderr: writer(channels, streams, wire.StreamStdErr),
		})
	}
	text, _ := json.Marshal(status(err))       // a Status always marshals
	_, _ = streams[wire.StreamErr].Write(text) // the client has gone if this fails
}

func reader(t []wsstream.ChannelType, streams []io.ReadWriteCloser) io.Reader {
	if t[wire.StreamStdIn] == wsstream.IgnoreChannel {
		return nil
	}
	return streams[wire.StreamStdIn]
}

func writer(t []wsstream.ChannelType, streams []io.ReadWriteCloser, i int) io.Writer {
	if t[i] == wsstream.IgnoreChannel {
		return nil
	}
	return streams[i]
}

// status is the end of a command as the API server tells it.
func status(err error) metav1.Status {
	var exit utilexec.CodeExitError
	var known apierrors.APIStatus
	switch {
	case err == nil:
		return metav1.Status{Status: metav1.StatusSuccess}
	case errors.As(err, &exit):
		return metav1.Status{Status: metav1.StatusFailure, Reason: wire.NonZeroExitCodeReason, Message: err.Error(),
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: wire.ExitCodeCauseType, Message: code(exit.Code)}}}}
	case errors.As(err, &known):
		return known.Status()
	}
	return apierrors.NewInternalError(err).Status()
}
