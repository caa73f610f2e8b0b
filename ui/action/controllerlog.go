package action

import (
	"rung/engine/logs/controllerlog"
	"rung/revision"
)

// The actions of the page of controllers' log lines.
const (
	ControllerAgain ID = "controller.again"
	ControllerZone  ID = "controller.zone"
	ControllerPrev  ID = "controller.previous-zone"
)

var controllerActions = []Action{
	{ID: ControllerAgain, Keys: []string{"ctrl+r"}, Title: "refresh", Footer: 20, Help: "read the newest lines of the controller"},
	{ID: ControllerZone, Keys: []string{"]"}, Title: "next zone", Footer: 30, Help: "the controller of the next zone"},
	{ID: ControllerPrev, Keys: []string{"["}, Title: "previous zone", Help: "the controller of the previous zone"},
}

// OnCluster disables an action that needs the pods of a cluster.
func OnCluster(c Context) string {
	if c.Mode.Name != revision.ClusterMode {
		return controllerlog.ErrNotOnCluster.Error()
	}
	return ""
}
