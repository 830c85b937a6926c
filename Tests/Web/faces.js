// Draws who is before a camera, for the pictures of a call: two people at home, who move a little. draw(context, who, second).
window.draw = (() => {
  const people = {
    "Anna Berg": { skin: "#f2c7a5", shade: "#dca27d", hair: "#7a3e22", shirt: "#2f7f86", eyes: "#3c5a3a", long: true, room: "hills" },
    "Ben Ito": { skin: "#e9b98f", shade: "#cf9468", hair: "#23201f", shirt: "#c9743a", eyes: "#3a2a20", long: false, room: "books" },
  };

  const round = (c, x, y, w, h, r) => { c.beginPath(); c.roundRect(x, y, w, h, r); c.fill(); };
  const oval = (c, x, y, w, h, turn = 0) => { c.beginPath(); c.ellipse(x, y, w, h, turn, 0, 7); c.fill(); };
  const line = (c, colour, width, points) => {
    [c.strokeStyle, c.lineWidth, c.lineCap] = [colour, width, "round"];
    c.beginPath();
    c.moveTo(points[0], points[1]);
    c.quadraticCurveTo(points[2], points[3], points[4], points[5]);
    c.stroke();
  };

  /** A window on hills in the evening. */
  function hills(c) {
    const wall = c.createLinearGradient(0, 0, 1280, 720);
    wall.addColorStop(0, "#f3e7d7");
    wall.addColorStop(1, "#d9c3a8");
    c.fillStyle = wall;
    c.fillRect(0, 0, 1280, 720);
    c.fillStyle = "#fffaf2";
    round(c, 760, 60, 430, 400, 12);
    const sky = c.createLinearGradient(0, 80, 0, 440);
    sky.addColorStop(0, "#8fb8d8");
    sky.addColorStop(1, "#fbd9ac");
    c.fillStyle = sky;
    c.fillRect(780, 80, 390, 360);
    c.fillStyle = "#fff3c4";
    oval(c, 1085, 235, 34, 34);
    for (const [colour, base, high, step] of [["#8aa4b8", 320, 60, 70], ["#5e8478", 360, 46, 52], ["#3f6656", 400, 30, 38]]) {
      c.fillStyle = colour;
      c.beginPath();
      c.moveTo(780, 440);
      for (let x = 780; x <= 1170; x += 6) c.lineTo(x, base - high * (Math.sin(x / step) + Math.sin(x / step / 2.3)) / 2);
      c.lineTo(1170, 440);
      c.fill();
    }
    c.fillStyle = "#fffaf2";
    c.fillRect(970, 80, 10, 360);
    // A plant.
    c.fillStyle = "#b5653c";
    round(c, 130, 520, 120, 110, 16);
    for (let leaf = 0; leaf < 7; leaf += 1) {
      c.fillStyle = leaf % 2 ? "#4c8a58" : "#68a86b";
      oval(c, 190 + (leaf - 3) * 34, 440 - 30 * (3 - Math.abs(leaf - 3)), 22, 86, (leaf - 3) * 0.32);
    }
  }

  /** Shelves with books, and a lamp. */
  function books(c) {
    const wall = c.createLinearGradient(0, 0, 1280, 720);
    wall.addColorStop(0, "#46596b");
    wall.addColorStop(1, "#2d3c4c");
    c.fillStyle = wall;
    c.fillRect(0, 0, 1280, 720);
    const colours = ["#b9564b", "#d9a441", "#5f8f83", "#e3d9c6", "#7a6a9b", "#3f6f9f", "#c98a5e"];
    for (const [row, y] of [[0, 210], [1, 420], [2, 640]]) {
      let x = 60;
      for (let book = 0; x < 470; book += 1) {
        const wide = 24 + (book * 37 + row * 23) % 26;
        const high = 110 + (book * 53 + row * 31) % 60;
        c.fillStyle = colours[(book * 3 + row * 2) % colours.length];
        round(c, x, y - high, wide, high, 4);
        x += wide + 4;
      }
      c.fillStyle = "#8a5f3c";
      c.fillRect(40, y, 460, 16);
    }
    const light = c.createRadialGradient(1080, 250, 20, 1080, 250, 330);
    light.addColorStop(0, "rgb(255 224 160 / 90%)");
    light.addColorStop(1, "rgb(255 224 160 / 0%)");
    c.fillStyle = light;
    c.fillRect(700, 0, 580, 720);
    c.fillStyle = "#ffe9bd";
    c.beginPath();
    c.moveTo(1010, 280);
    c.lineTo(1150, 280);
    c.lineTo(1115, 170);
    c.lineTo(1045, 170);
    c.fill();
    c.fillStyle = "#8a5f3c";
    c.fillRect(1074, 280, 12, 380);
  }

  function person(c, one, second) {
    const sway = 7 * Math.sin(second * Math.PI);
    const [x, y] = [640 + sway, 350 + 4 * Math.sin(second * 2 * Math.PI)];
    if (one.long) {
      c.fillStyle = one.hair;
      round(c, x - 168, y - 190, 336, 470, 165);
    }
    // Shoulders and neck.
    c.fillStyle = one.shirt;
    round(c, 640 - 300 + sway / 3, 575, 600, 400, 170);
    c.fillStyle = one.shade;
    c.beginPath();
    c.ellipse(x, 575, 84, 54, 0, 0, Math.PI);
    c.fill();
    c.fillRect(x - 58, y + 110, 116, 130);
    // Ears, head.
    c.fillStyle = one.shade;
    oval(c, x - 136, y + 12, 24, 36);
    oval(c, x + 136, y + 12, 24, 36);
    c.fillStyle = one.skin;
    c.beginPath();
    c.moveTo(x - 136, y - 40);
    c.bezierCurveTo(x - 146, y + 120, x - 80, y + 186, x, y + 186);
    c.bezierCurveTo(x + 80, y + 186, x + 146, y + 120, x + 136, y - 40);
    c.bezierCurveTo(x + 130, y - 170, x - 130, y - 170, x - 136, y - 40);
    c.fill();
    // Hair.
    c.fillStyle = one.hair;
    c.beginPath();
    c.moveTo(x - 150, y + 6);
    c.bezierCurveTo(x - 175, y - 210, x - 40, y - 230, x + 20, y - 214);
    c.bezierCurveTo(x + 150, y - 214, x + 172, y - 90, x + 150, y + 6);
    if (one.long) {
      c.bezierCurveTo(x + 132, y - 70, x + 80, y - 100, x + 20, y - 118);
      c.bezierCurveTo(x - 60, y - 100, x - 126, y - 70, x - 150, y + 6);
    } else {
      c.bezierCurveTo(x + 140, y - 60, x + 110, y - 96, x + 60, y - 104);
      c.bezierCurveTo(x - 10, y - 70, x - 80, y - 112, x - 100, y - 92);
      c.bezierCurveTo(x - 130, y - 66, x - 140, y - 40, x - 150, y + 6);
    }
    c.fill();
    // Cheeks.
    c.fillStyle = "rgb(226 110 90 / 22%)";
    oval(c, x - 84, y + 66, 34, 24);
    oval(c, x + 84, y + 66, 34, 24);
    // Eyes, which close for a moment.
    const isShut = second % 2 > 1.85;
    for (const side of [-1, 1]) {
      const at = x + side * 56;
      line(c, one.hair, 9, [at - 30, y - 44 + side * 1, at, y - 60, at + 30, y - 44 - side * 1]);
      if (isShut) {
        line(c, one.hair, 6, [at - 24, y + 2, at, y + 14, at + 24, y + 2]);
        continue;
      }
      c.fillStyle = "#fffdf8";
      oval(c, at, y + 2, 27, 20);
      c.fillStyle = one.eyes;
      oval(c, at + sway / 4, y + 2, 14, 15);
      c.fillStyle = "#171310";
      oval(c, at + sway / 4, y + 2, 7, 8);
      c.fillStyle = "#ffffff";
      oval(c, at + sway / 4 + 5, y - 4, 4, 4);
      line(c, one.hair, 5, [at - 27, y - 4, at, y - 28, at + 27, y - 4]);
    }
    line(c, one.shade, 7, [x - 4, y + 22, x + 16, y + 66, x - 10, y + 66]);
    // A smile that talks.
    const open = 14 + 10 * Math.abs(Math.sin(second * 5));
    c.fillStyle = "#8e3b36";
    c.beginPath();
    c.moveTo(x - 54, y + 100);
    c.quadraticCurveTo(x, y + 112, x + 54, y + 100);
    c.quadraticCurveTo(x, y + 112 + 3 * open, x - 54, y + 100);
    c.fill();
    c.fillStyle = "#ffffff";
    c.beginPath();
    c.moveTo(x - 46, y + 103);
    c.quadraticCurveTo(x, y + 112, x + 46, y + 103);
    c.quadraticCurveTo(x, y + 126, x - 46, y + 103);
    c.fill();
  }

  return (c, who, second) => {
    const one = people[who];
    c.save();
    c.filter = "blur(5px)";
    // Its edges are outside of the picture.
    c.translate(-32, -18);
    c.scale(1.05, 1.05);
    (one.room === "hills" ? hills : books)(c);
    c.restore();
    person(c, one, second);
  };
})();
