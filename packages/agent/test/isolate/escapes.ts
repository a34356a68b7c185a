// Ways out of a view, as shell text. `$P` is the project's root, `$O` a folder beside it; each must leave the project as it is.

export const COMMANDS: Readonly<Record<string, string>> = {
  "absolute path": "echo evil > $P/a.txt",
  "absolute path in a new file": "echo evil > $P/evil.txt",
  "dots from the working directory": "echo evil > ../project/a.txt",
  "dots through another folder": "echo evil > $O/../project/a.txt",
  "cd and back": "cd / && cd $P && echo evil > a.txt",
  "a link outside that leads in": "ln -s $P/a.txt $O/in && echo evil > $O/in",
  "a link to the folder": "ln -s $P $O/in2 && echo evil > $O/in2/a.txt",
  "a relative link": "ln -s ../project/a.txt $O/in3 && echo evil > $O/in3",
  "a hard link to outside": "ln $P/a.txt $O/hard && echo evil > $O/hard",
  "a hard link inside": "ln a.txt twin && echo evil > twin",
  "one of two names of a file": "echo evil >> twin-a.txt",
  removing: "rm -rf $P/a.txt $P/d",
  "renaming the root": "mv $P $P.old; echo evil > $P/a.txt",
  "moving a file out": "mv a.txt $O/moved",
  permissions: "chmod 000 $P/a.txt; chmod 777 $P/d",
  "time stamps": "touch -d 2001-01-01 $P/a.txt",
  truncating: "truncate -s 0 $P/a.txt",
  dd: "dd if=/dev/zero of=$P/a.txt bs=1 count=4 conv=notrunc",
  "git commit": "git add -A; git -c user.name=x -c user.email=x@y commit -qam evil --allow-empty",
  "git update-ref": "git update-ref refs/heads/evil HEAD",
  "git update-ref of the branch": "git update-ref -d refs/heads/main",
  "git stash": "echo evil > a.txt; git stash",
  "git stash drop": "git stash drop",
  GIT_DIR: "GIT_DIR=$P/.git git update-ref refs/heads/evil HEAD",
  "GIT_DIR and a work tree elsewhere":
    "GIT_DIR=$P/.git GIT_WORK_TREE=$O git checkout -f HEAD -- . ; GIT_DIR=$P/.git git reset -q",
  "git -C": "git -C $P tag evil",
  GIT_INDEX_FILE: "GIT_INDEX_FILE=$P/.git/index git rm -q --cached a.txt",
  hooks:
    "mkdir -p $P/.git/hooks; printf '#!/bin/sh\\ntouch $O/hooked\\n' > $P/.git/hooks/post-commit; chmod +x $P/.git/hooks/post-commit",
  configuration: "git config core.hooksPath /tmp; echo '[alias]' >> $P/.git/config",
  alternates: "echo /tmp > $P/.git/objects/info/alternates",
  objects: "chmod -R u+w $P/.git/objects; find $P/.git/objects -type f | head -1 | xargs rm -f",
  "git worktree": "git worktree add -q $O/wt HEAD; echo evil > $O/wt/a.txt",
  "git clean and checkout": "git clean -fdxq; git checkout -q -f HEAD",
  "packed refs": "git pack-refs --all; git gc -q",
  "the parent's working directory":
    "for p in $PPID 1; do echo evil > /proc/$p/cwd/a.txt; echo evil > /proc/$p/root$P/a.txt; done",
  "every process' root": "for p in /proc/[0-9]*; do echo evil > $p/root$P/a.txt; echo evil > $p/cwd/a.txt; done",
  unmounting: "umount $P; umount -l $P; echo evil > a.txt",
  "unmounting in a namespace of its own":
    "unshare -Urm sh -c 'umount -l $P; umount $P; echo evil > $P/a.txt; mount --bind /tmp $P'",
  "entering the namespaces of others":
    "for p in $(ls /proc | grep -E '^[0-9]+$'); do nsenter -t $p -m sh -c 'echo evil > $P/a.txt'; done",
  "mounting the root again":
    "mkdir -p $O/again; mount --bind / $O/again; echo evil > $O/again$P/a.txt; mount -o remount,rw /",
  "the layers of the view": "find $S -name a.txt -exec sh -c 'echo evil > \"$1\"' x {} \\;; ls -R $S; rm -rf $S/*",
  "a process that is left behind": "setsid sh -c 'sleep 0.2; echo evil > $P/a.txt' >/dev/null 2>&1 &",
};
