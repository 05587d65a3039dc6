/** A category of the demonstration catalogue. */
export interface Shelf {
  readonly name: string;
  readonly description: string;
  readonly pets: readonly DemoPet[];
}

export interface DemoPet {
  readonly name: string;
  /** Units on hand before the orders below are placed. */
  readonly stock: number;
  /** Whether it is taken off sale by hand, and cannot be ordered. */
  readonly held?: true;
  readonly orders?: readonly DemoOrder[];
}

export interface DemoOrder {
  readonly quantity: number;
  /** When it ships, in days from now; negative for the past. Left out: it has no ship date yet. */
  readonly days?: number;
  readonly complete?: true;
}

/** A single animal has a name before its breed; animals in larger numbers are named by their kind. */
export const CATALOGUE: readonly Shelf[] = [
  {
    name: 'Dogs',
    description: 'Vaccinated, chipped and used to people. Come and take one for a walk before you decide.',
    pets: [
      { name: 'Biscuit, Golden Retriever', stock: 1 },
      { name: 'Luna, Border Collie', stock: 1, orders: [{ quantity: 1, days: 3 }] },
      { name: 'Bruno, Beagle', stock: 1 },
      { name: 'Maple, Labrador Retriever', stock: 1, orders: [{ quantity: 1, days: -12, complete: true }] },
      { name: 'Otto, Dachshund', stock: 1 },
      { name: 'Freya, Siberian Husky', stock: 1, held: true },
      { name: 'Pepper, Miniature Schnauzer', stock: 1 },
      { name: 'Scout, Jack Russell Terrier', stock: 1 },
      { name: 'Hazel, Cocker Spaniel', stock: 0 },
      { name: 'Gus, French Bulldog', stock: 1 },
    ],
  },
  {
    name: 'Cats',
    description: 'House cats of all tempers, neutered and litter-trained. Pairs that grew up together stay together.',
    pets: [
      { name: 'Miso, Siamese', stock: 1 },
      { name: 'Cleo, Maine Coon', stock: 1, orders: [{ quantity: 1, days: 1 }] },
      { name: 'Pumpkin, Domestic Shorthair', stock: 1 },
      { name: 'Smokey, Russian Blue', stock: 1 },
      { name: 'Willow, Ragdoll', stock: 1, held: true },
      { name: 'Figaro, Tuxedo Shorthair', stock: 1 },
      { name: 'Nala, Abyssinian', stock: 0 },
      { name: 'Oscar, British Shorthair', stock: 1, orders: [{ quantity: 1, days: -5, complete: true }] },
      { name: 'Saffron, Bengal', stock: 1 },
      { name: 'Pearl, Persian', stock: 1 },
    ],
  },
  {
    name: 'Small Mammals',
    description: 'Rabbits, guinea pigs and other small company. Most of them live in pairs or groups.',
    pets: [
      { name: 'Holland Lop Rabbit', stock: 4 },
      { name: 'Netherland Dwarf Rabbit', stock: 3 },
      { name: 'Lionhead Rabbit', stock: 2, held: true },
      { name: 'American Guinea Pig', stock: 6, orders: [{ quantity: 2, days: 4 }] },
      { name: 'Peruvian Guinea Pig', stock: 2, orders: [{ quantity: 2, days: 2 }] },
      { name: 'Syrian Hamster', stock: 8 },
      { name: 'Roborovski Hamster', stock: 10 },
      { name: 'Mongolian Gerbil', stock: 12 },
      { name: 'Fancy Rat', stock: 9, orders: [{ quantity: 3, days: -2, complete: true }] },
      { name: 'Standard Grey Chinchilla', stock: 2 },
    ],
  },
  {
    name: 'Birds',
    description: 'Hand-reared parrots and small birds for the aviary.',
    pets: [
      { name: 'Kiwi, Sun Conure', stock: 1 },
      { name: 'Captain, African Grey Parrot', stock: 1, held: true },
      { name: 'Mango, Green-Cheeked Conure', stock: 0 },
      { name: 'Budgerigar', stock: 24, orders: [{ quantity: 4, days: -8, complete: true }] },
      { name: 'Cockatiel', stock: 7 },
      { name: 'Peach-Faced Lovebird', stock: 6 },
      { name: 'Zebra Finch', stock: 18, orders: [{ quantity: 6, days: 7 }] },
      { name: 'Society Finch', stock: 12 },
      { name: 'Border Canary', stock: 5 },
      { name: 'Diamond Dove', stock: 4 },
    ],
  },
  {
    name: 'Freshwater Fish',
    description: 'For planted and community tanks. Quarantined for two weeks before they are sold.',
    pets: [
      { name: 'Neon Tetra', stock: 180, orders: [{ quantity: 20, days: 1 }] },
      { name: 'Cardinal Tetra', stock: 96 },
      { name: 'Harlequin Rasbora', stock: 72 },
      { name: 'Zebra Danio', stock: 84 },
      { name: 'Fancy Guppy', stock: 120, orders: [{ quantity: 24, days: -15, complete: true }] },
      { name: 'Bronze Corydoras', stock: 48 },
      { name: 'Bristlenose Pleco', stock: 14 },
      { name: 'Pearl Gourami', stock: 18 },
      { name: 'Freshwater Angelfish', stock: 16, held: true },
      { name: 'Crowntail Betta', stock: 0 },
    ],
  },
  {
    name: 'Marine Fish',
    description: 'Captive-bred wherever that can be done. For tanks that have been running for some months.',
    pets: [
      { name: 'Ocellaris Clownfish', stock: 22, orders: [{ quantity: 2 }] },
      { name: 'Royal Gramma', stock: 9 },
      { name: 'Banggai Cardinalfish', stock: 12 },
      { name: 'Firefish Goby', stock: 10 },
      { name: 'Yellow Watchman Goby', stock: 6 },
      { name: 'Blue-Green Chromis', stock: 30 },
      { name: 'Yellow Tang', stock: 3 },
      { name: 'Mandarin Dragonet', stock: 2, held: true },
      { name: 'Lawnmower Blenny', stock: 5 },
      { name: 'Longnose Hawkfish', stock: 0 },
    ],
  },
  {
    name: 'Reptiles',
    description: 'Bred in captivity, with papers where the law asks for them. Enclosures must be ready first.',
    pets: [
      { name: 'Ziggy, Bearded Dragon', stock: 1 },
      { name: "Sheldon, Hermann's Tortoise", stock: 1, held: true },
      { name: 'Noodle, Ball Python', stock: 1, orders: [{ quantity: 1 }] },
      { name: 'Leopard Gecko', stock: 5 },
      { name: 'Crested Gecko', stock: 4 },
      { name: 'Corn Snake', stock: 3 },
      { name: 'California Kingsnake', stock: 2 },
      { name: 'Blue-Tongued Skink', stock: 2 },
      { name: 'Veiled Chameleon', stock: 0 },
      { name: 'Green Anole', stock: 8 },
    ],
  },
  {
    name: 'Amphibians',
    description: 'Frogs, newts and salamanders for moist terrariums and cool tanks.',
    pets: [
      { name: 'Axolotl', stock: 6, orders: [{ quantity: 2, days: 10 }] },
      { name: "White's Tree Frog", stock: 4 },
      { name: 'Red-Eyed Tree Frog', stock: 5 },
      { name: 'Pacman Frog', stock: 3 },
      { name: 'Fire-Bellied Toad', stock: 11 },
      { name: 'Dyeing Poison Dart Frog', stock: 4 },
      { name: 'African Dwarf Frog', stock: 26 },
      { name: 'Fire Salamander', stock: 2 },
      { name: 'Tiger Salamander', stock: 0 },
      { name: 'Spanish Ribbed Newt', stock: 3 },
    ],
  },
  {
    name: 'Invertebrates',
    description: 'Shrimp, snails, crabs, spiders and insects: quiet, small and never boring.',
    pets: [
      { name: 'Cherry Shrimp', stock: 240, orders: [{ quantity: 30, days: -1, complete: true }] },
      { name: 'Amano Shrimp', stock: 90 },
      { name: 'Zebra Nerite Snail', stock: 64 },
      { name: 'Mystery Snail', stock: 40 },
      { name: 'Caribbean Hermit Crab', stock: 28 },
      { name: 'Vampire Crab', stock: 9 },
      { name: 'Mexican Red-Knee Tarantula', stock: 3 },
      { name: 'Emperor Scorpion', stock: 2 },
      { name: 'Giant Spiny Stick Insect', stock: 15 },
      { name: 'Orchid Mantis', stock: 0 },
    ],
  },
  {
    name: 'Farm and Garden',
    description: 'For people with land: collected from our partner farm by arrangement.',
    pets: [
      { name: 'Clover, Shetland Pony', stock: 1, held: true },
      { name: 'Juniper, Miniature Donkey', stock: 1 },
      { name: 'Pygmy Goat', stock: 4 },
      { name: 'Babydoll Sheep', stock: 3 },
      { name: 'Silkie Hen', stock: 8 },
      { name: 'Buff Orpington Hen', stock: 14, orders: [{ quantity: 4, days: 5 }] },
      { name: 'Indian Runner Duck', stock: 9 },
      { name: 'Japanese Quail', stock: 36 },
      { name: 'Giant Angora Rabbit', stock: 2 },
      { name: 'Sarasa Goldfish', stock: 55 },
    ],
  },
];
