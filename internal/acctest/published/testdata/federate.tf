# A workload that runs on member-1. The module copies it from there, and hands over the same objects.
module "my_nginx" {
  source   = "FEDERATE"
  engine   = var.engine
  cluster  = fleet_member_cluster.member["member-1"].name
  workload = { namespace = "nginx", name = "my-nginx" }
}
