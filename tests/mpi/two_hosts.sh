#!/bin/sh
# two_hosts.sh FOLDER COMMAND... - runs a command where two hosts seem to be: two network namespaces
# with a host name each, joined by a cable. The command is executed on the first, ordo-a, with the
# address 10.77.0.1; FOLDER/agent executes others on ordo-b, 10.77.0.2, as ssh would.
#
# To be started in namespaces of its own, so that the machine's network stays as it is and all ends
# with it: unshare --net --uts --mount --pid --mount-proc --fork two_hosts.sh FOLDER COMMAND...
set -eu
folder=$1
shift
hostname ordo-a
ip link set lo up
ip link add ordo0 type veth peer name ordo1
unshare --net --uts sh -c 'hostname ordo-b; ip link set lo up; echo $$ >"$0/pid.new"
	mv "$0/pid.new" "$0/pid"; exec sleep 1000' "$folder" &
while [ ! -s "$folder/pid" ]; do
	sleep 0.05
done
other=$(cat "$folder/pid")
ip link set ordo1 netns "$other"
ip address add 10.77.0.1/24 dev ordo0
ip link set ordo0 up
nsenter --target "$other" --net sh -c 'ip address add 10.77.0.2/24 dev ordo1; ip link set ordo1 up'
# Its arguments: the host, and the words of a command line for a shell.
cat >"$folder/agent" <<END
#!/bin/sh
shift
exec nsenter --target $other --net --uts sh -c "\$*"
END
chmod +x "$folder/agent"
exec "$@"
