export default { title: "Harbour notes", ferry: "Meeuw" };
